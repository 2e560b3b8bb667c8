package dev.fairlead.work.workload.kubernetes.provisioner;

import dev.fairlead.care.supply.ProvisioningConditions;
import dev.fairlead.care.supply.Supply;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyAnswer.Word;
import dev.fairlead.care.supply.SupplyCall;
import dev.fairlead.care.supply.SupplyState;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.call.ReportedText;
import dev.fairlead.work.workload.kubernetes.client.GpuResources;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import dev.fairlead.work.workload.kubernetes.namespace.ObjectLabels;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodTemplate;
import io.fabric8.kubernetes.api.model.PodTemplateBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Requests nodes from the autoscaler of a cluster by a {@code ProvisioningRequest} of {@code
 * autoscaling.x-k8s.io/v1} and the {@code PodTemplate} that it refers to. Both are named by the key
 * of the request, so that a repeated call finds the objects of an earlier one.
 */
public final class ProvisioningRequests {
  private static final String GROUP = "autoscaling.x-k8s.io";
  private static final String VERSION = "v1";
  private static final String KIND = "ProvisioningRequest";
  private static final String SPEC = "spec";
  private static final String CLASS = "provisioningClassName";
  private static final ResourceDefinitionContext REQUESTS =
      new ResourceDefinitionContext.Builder()
          .withGroup(GROUP)
          .withVersion(VERSION)
          .withKind(KIND)
          .withPlural("provisioningrequests")
          .withNamespaced(true)
          .build();
  private static final int MOST_CONDITIONS = 50;
  private static final int LONGEST = 200;

  private final Installation installation;
  private final ClusterCalls calls;

  public ProvisioningRequests(Installation installation, ClusterCalls calls) {
    this.installation = installation;
    this.calls = calls;
  }

  /** Never throws because of a cluster's behaviour. */
  public SupplyAnswer ask(
      KubernetesClient client, SupplyCall call, Supply.ProvisioningClass wanted) {
    try {
      return switch (call.action()) {
        case REQUEST -> requested(client, call, wanted);
        case RELEASE -> released(client, call);
      };
    } catch (CallFailure failure) {
      return new SupplyAnswer.Unanswered(why(failure));
    }
  }

  private static String why(CallFailure failure) {
    if (failure.missingRight()) {
      return failure.getMessage() + ". Apply deploy/cluster-supply.yaml on the cluster.";
    }
    return failure.code() == HttpURLConnection.HTTP_NOT_FOUND
        ? "the cluster has no ProvisioningRequests of autoscaling.x-k8s.io/v1: install the CRD of"
            + " the cluster autoscaler, and start it with --enable-provisioning-requests"
        : String.valueOf(failure.getMessage());
  }

  private SupplyAnswer requested(
      KubernetesClient client, SupplyCall call, Supply.ProvisioningClass wanted) {
    GenericKubernetesResource there = calls.read(() -> ByName.find(request(client, call)));
    if (there != null) {
      return isOurs(there, call)
          ? answer(there, wanted)
          : ProvisioningConditions.foreign(name(call));
    }
    if (call.request().state() == SupplyState.GRANTED) {
      return ProvisioningConditions.gone(name(call));
    }
    HasMetadata template = created(client, template(call), call);
    if (template == null) {
      return ProvisioningConditions.foreign("PodTemplate " + name(call));
    }
    return created(client, request(call, wanted, template), call) == null
        ? ProvisioningConditions.foreign(name(call))
        : new ProvisioningConditions(List.of()).answer();
  }

  /** Returns the created or existing object of Fairlead, null if a foreign object has the name. */
  private @Nullable HasMetadata created(
      KubernetesClient client, HasMetadata wanted, SupplyCall call) {
    try {
      return calls.write(() -> client.resource(wanted).create());
    } catch (CallFailure failure) {
      if (!failure.conflict()) {
        throw failure;
      }
      HasMetadata there = calls.read(() -> ByName.find(client.resource(wanted)));
      return there != null && isOurs(there, call) ? there : null;
    }
  }

  private SupplyAnswer released(KubernetesClient client, SupplyCall call) {
    boolean gone =
        removed(
                client,
                request(client, call),
                "/apis/" + GROUP + "/" + VERSION,
                REQUESTS.getPlural(),
                call)
            && removed(client, template(client, call), "/api/v1", "podtemplates", call);
    return ProvisioningConditions.says(
        gone ? Word.RELEASED : Word.PENDING,
        gone ? "" : "ProvisioningRequest " + name(call) + " is being deleted");
  }

  /** Returns whether no object of Fairlead remains. */
  private boolean removed(
      KubernetesClient client,
      Resource<? extends HasMetadata> named,
      String api,
      String plural,
      SupplyCall call) {
    HasMetadata there = calls.read(() -> ByName.find(named));
    if (there == null || !isOurs(there, call)) {
      return true;
    }
    DeleteOptions options =
        new DeleteOptionsBuilder()
            .withPropagationPolicy("Background")
            .withNewPreconditions(null, there.getMetadata().getUid())
            .build();
    String path =
        api
            + "/namespaces/"
            + Namespaces.SYSTEM
            + "/"
            + plural
            + "/"
            + there.getMetadata().getName();
    try {
      String _ = calls.write(() -> client.raw(path, "DELETE", options));
    } catch (CallFailure failure) {
      if (!failure.notFound() && !failure.conflict()) {
        throw failure;
      }
    }
    return calls.read(() -> ByName.find(named)) == null;
  }

  private static Resource<GenericKubernetesResource> request(
      KubernetesClient client, SupplyCall call) {
    return client
        .genericKubernetesResources(REQUESTS)
        .inNamespace(Namespaces.SYSTEM)
        .withName(call.request().id().objectName());
  }

  private static Resource<PodTemplate> template(KubernetesClient client, SupplyCall call) {
    return client
        .resources(PodTemplate.class)
        .inNamespace(Namespaces.SYSTEM)
        .withName(call.request().id().objectName());
  }

  private static String name(SupplyCall call) {
    return Namespaces.SYSTEM + "/" + call.request().id().objectName();
  }

  private Map<String, String> labels(SupplyCall call) {
    Map<String, String> labels = ObjectLabels.of(installation);
    labels.put(ObjectLabels.SUPPLY, call.request().id().objectName());
    return labels;
  }

  private boolean isOurs(HasMetadata there, SupplyCall call) {
    Map<String, String> has = there.getMetadata().getLabels();
    return has != null && has.entrySet().containsAll(labels(call).entrySet());
  }

  private ObjectMeta metadata(SupplyCall call) {
    return new ObjectMetaBuilder()
        .withName(call.request().id().objectName())
        .withNamespace(Namespaces.SYSTEM)
        .withLabels(labels(call))
        .build();
  }

  /**
   * Builds a request that is owned by its template, by UID. If the API server processes a create
   * only after the release of its request, the object has no owner and the cluster removes it.
   */
  private GenericKubernetesResource request(
      SupplyCall call, Supply.ProvisioningClass wanted, HasMetadata template) {
    Map<String, Object> spec = new TreeMap<>();
    spec.put(CLASS, wanted.className());
    spec.put("parameters", wanted.parameters());
    spec.put(
        "podSets",
        List.of(
            Map.of(
                "count",
                call.request().asked().nodes(),
                "podTemplateRef",
                Map.of("name", call.request().id().objectName()))));
    return new GenericKubernetesResourceBuilder()
        .withApiVersion(GROUP + "/" + VERSION)
        .withKind(KIND)
        .withMetadata(
            metadata(call)
                .edit()
                .addNewOwnerReference()
                .withApiVersion("v1")
                .withKind("PodTemplate")
                .withName(template.getMetadata().getName())
                .withUid(template.getMetadata().getUid())
                .endOwnerReference()
                .build())
        .withAdditionalProperties(Map.of(SPEC, spec))
        .build();
  }

  /**
   * Builds a pod that uses all GPUs of a node, so that each pod needs a separate node. It requests
   * no CPU and memory, because only the autoscaler knows how much the cluster's own agents use on a
   * new node.
   */
  private PodTemplate template(SupplyCall call) {
    Quantity gpus = new Quantity(Integer.toString(call.supply().kind().gpus()));
    return new PodTemplateBuilder()
        .withMetadata(metadata(call))
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels(call))
        .endMetadata()
        .withNewSpec()
        .withNodeSelector(call.labels())
        .withRestartPolicy("Never")
        .addNewToleration()
        .withKey(GpuResources.TAINT)
        .withOperator("Exists")
        .endToleration()
        .addNewContainer()
        .withName("node")
        .withImage("registry.k8s.io/pause:3.10")
        .withNewResources()
        .addToRequests(GpuResources.WHOLE, gpus)
        .addToLimits(GpuResources.WHOLE, gpus)
        .endResources()
        .endContainer()
        .endSpec()
        .endTemplate()
        .build();
  }

  private static SupplyAnswer answer(
      GenericKubernetesResource there, Supply.ProvisioningClass wanted) {
    Object its = there.get(SPEC, CLASS);
    if (!wanted.className().equals(its)) {
      return new SupplyAnswer.Unanswered(
          "ProvisioningRequest "
              + there.getMetadata().getName()
              + " was changed on the cluster: its class is "
              + words(its));
    }
    List<ProvisioningConditions.Condition> held = new ArrayList<>();
    if (there.get("status", "conditions") instanceof List<?> conditions) {
      conditions.stream()
          .limit(MOST_CONDITIONS)
          .forEach(each -> {
            if (each instanceof Map<?, ?> one) {
              held.add(
                  new ProvisioningConditions.Condition(
                      words(one.get("type")),
                      words(one.get("status")),
                      words(one.get("reason")),
                      words(one.get("message"))));
            }
          });
    }
    return new ProvisioningConditions(held).answer();
  }

  private static String words(@Nullable Object reported) {
    String words = ReportedText.words(reported == null ? "" : String.valueOf(reported), LONGEST);
    return words == null ? "" : words;
  }
}
