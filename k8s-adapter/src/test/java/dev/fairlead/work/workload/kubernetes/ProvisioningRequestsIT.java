package dev.fairlead.work.workload.kubernetes;

import static dev.fairlead.work.workload.kubernetes.RealCluster.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.supply.ProvisioningConditions;
import dev.fairlead.care.supply.SupplyAnswer;
import dev.fairlead.care.supply.SupplyCall.Action;
import dev.fairlead.care.supply.SupplyRequest;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.identity.memory.SeededIds;
import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.workload.ClusterGateway;
import dev.fairlead.work.workload.ProvisioningContract;
import dev.fairlead.work.workload.kubernetes.namespace.Namespaces;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodTemplate;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests for nodes on a real control plane, by the rights of {@code cluster-supply.yaml}. */
@OnControlPlane
class ProvisioningRequestsIT extends ProvisioningContract {
  private static final Path RIGHTS = Path.of("..", "deploy", "cluster-supply.yaml");

  /** The part of the autoscaler's CRD that is used here. */
  private static final String CRD =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: provisioningrequests.autoscaling.x-k8s.io}
      spec:
        group: autoscaling.x-k8s.io
        scope: Namespaced
        names: {kind: ProvisioningRequest, plural: provisioningrequests, singular: provisioningrequest}
        versions:
        - name: v1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema:
              type: object
              required: [spec]
              properties:
                spec:
                  type: object
                  required: [podSets, provisioningClassName]
                  properties:
                    provisioningClassName: {type: string}
                    parameters: {type: object, additionalProperties: {type: string}}
                    podSets:
                      type: array
                      minItems: 1
                      items:
                        type: object
                        required: [count, podTemplateRef]
                        properties:
                          count: {type: integer, minimum: 1}
                          podTemplateRef: {type: object, properties: {name: {type: string}}}
                status: {type: object, x-kubernetes-preserve-unknown-fields: true}
      """;

  private static final ResourceDefinitionContext REQUESTS =
      new ResourceDefinitionContext.Builder()
          .withGroup("autoscaling.x-k8s.io")
          .withVersion("v1")
          .withKind("ProvisioningRequest")
          .withPlural("provisioningrequests")
          .withNamespaced(true)
          .build();

  private final Installation installation = new Installation(new UUID(random(), random()), 1);
  private final SeededIds ids = new SeededIds(random());
  private KubernetesClient admin;
  private ClusterGateway gateway;

  private static long random() {
    return ThreadLocalRandom.current().nextLong();
  }

  @BeforeEach
  void rightsAndKind() throws IOException {
    TestCluster cluster = KubernetesCluster.shared();
    admin = cluster.admin();
    gateway = RealCluster.synced(installation, cluster);
    try (InputStream manifest = Files.newInputStream(RIGHTS)) {
      apply(manifest);
    }
    apply(new ByteArrayInputStream(CRD.getBytes(StandardCharsets.UTF_8)));
    SupplyRequest probe = request();
    eventually(
        "right and kind are there",
        () -> ask(probe, Action.REQUEST) instanceof SupplyAnswer.Answered);
  }

  private void apply(InputStream manifest) {
    for (HasMetadata object : admin.load(manifest).items()) {
      admin.resource(object).serverSideApply();
    }
  }

  /**
   * The rights are removed at the end, since other classes on this cluster count the rights of the
   * account.
   */
  @AfterEach
  void close() {
    KubernetesCluster.shared().withdraws("deploy/cluster-supply.yaml");
    gateway.close();
  }

  private Resource<GenericKubernetesResource> named(String name) {
    return admin.genericKubernetesResources(REQUESTS).inNamespace(Namespaces.SYSTEM).withName(name);
  }

  @Override
  protected ClusterGateway gateway() {
    return gateway;
  }

  @Override
  protected IdSource ids() {
    return ids;
  }

  @Override
  protected List<String> there(String name) {
    return named(name).get() == null ? List.of() : List.of(name);
  }

  @Override
  protected void sets(String name, ProvisioningConditions.Condition condition) {
    named(name)
        .editStatus(request -> {
          request.setAdditionalProperty(
              "status",
              Map.of(
                  "conditions",
                  List.of(
                      Map.of(
                          "type", condition.type(),
                          "status", condition.status(),
                          "reason", condition.reason(),
                          "message", condition.message(),
                          "lastTransitionTime", "2030-01-01T00:00:00Z"))));
          return request;
        });
  }

  @Override
  protected void deletes(String name) {
    named(name).delete();
    eventually("it is gone", () -> named(name).get() == null);
  }

  @Override
  protected void takes(String name) {
    SupplyRequest ours = request();
    SupplyAnswer _ = ask(ours, Action.REQUEST);
    GenericKubernetesResource other = named(ours.id().objectName()).require();
    other.setMetadata(
        new io.fabric8.kubernetes.api.model.ObjectMetaBuilder()
            .withName(name)
            .withNamespace(Namespaces.SYSTEM)
            .build());
    admin.resource(other).create();
  }

  /** Fails when a request that did not exist at the release remains and requests unneeded nodes. */
  @Test
  void createCommittedAfterTheReleaseLeavesNothing() {
    SupplyRequest request = request();
    SupplyAnswer _ = ask(request, Action.REQUEST);
    String name = request.id().objectName();
    GenericKubernetesResource made = named(name).require();
    assertThat(word(request, Action.RELEASE)).isEqualTo(SupplyAnswer.Word.RELEASED);

    made.getMetadata().setResourceVersion(null);
    made.getMetadata().setUid(null);
    GenericKubernetesResource late = admin.resource(made).create();
    assertThat(late.getMetadata().getName()).isEqualTo(name);

    eventually("the cluster removes it", () -> named(name).get() == null);
  }

  /** Fails when the request to the autoscaler differs from the nodes of the supply. */
  @Test
  void templatePodRequestsAllGpusOfANodeWithItsLabels() {
    SupplyRequest request = request();
    SupplyAnswer _ = ask(request, Action.REQUEST);
    String name = request.id().objectName();

    GenericKubernetesResource made = named(name).require();
    assertThat((Object) made.get("spec", "podSets", 0, "count")).isEqualTo(2);
    assertThat((Object) made.get("spec", "podSets", 0, "podTemplateRef", "name")).isEqualTo(name);
    PodTemplate template =
        admin.resources(PodTemplate.class).inNamespace(Namespaces.SYSTEM).withName(name).require();
    assertThat(template.getTemplate().getSpec().getNodeSelector())
        .containsEntry("node-group", "h100");
    assertThat(
            template.getTemplate().getSpec().getContainers().getFirst().getResources().getLimits())
        .hasToString("{nvidia.com/gpu=8}");

    assertThat(word(request, Action.RELEASE)).isEqualTo(SupplyAnswer.Word.RELEASED);
    assertThat(
            admin.resources(PodTemplate.class).inNamespace(Namespaces.SYSTEM).withName(name).get())
        .isNull();
  }
}
