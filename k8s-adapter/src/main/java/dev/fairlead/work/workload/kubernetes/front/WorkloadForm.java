package dev.fairlead.work.workload.kubernetes.front;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.front.SeenJob;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Workloads: job specs as objects of a cluster, which Fairlead runs anywhere in the pool. Their
 * definition is in {@code deploy/crds}.
 *
 * @param installation label of this installation
 */
public record WorkloadForm(String installation, ClusterCalls calls)
    implements FrontForm<GenericKubernetesResource> {
  /** Kind and version, human-readable. */
  public static final String TEXT = "Workload (fairlead.dev/v1alpha1)";

  private static final String VERSION = "fairlead.dev/v1alpha1";
  private static final String PLURAL = "workloads";
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final ResourceDefinitionContext CONTEXT =
      new ResourceDefinitionContext.Builder()
          .withGroup("fairlead.dev")
          .withVersion("v1alpha1")
          .withKind("Workload")
          .withPlural(PLURAL)
          .withNamespaced(true)
          .build();

  @Override
  public String prefix() {
    return SeenJob.WORKLOAD;
  }

  @Override
  public Informable<GenericKubernetesResource> all(KubernetesClient client) {
    return client.genericKubernetesResources(CONTEXT).inAnyNamespace();
  }

  @Override
  public Resource<GenericKubernetesResource> named(
      KubernetesClient client, String namespace, String name) {
    return client.genericKubernetesResources(CONTEXT).inNamespace(namespace).withName(name);
  }

  @Override
  public GenericKubernetesResource blank() {
    return new GenericKubernetesResource();
  }

  private static JsonNode status(GenericKubernetesResource workload) {
    try {
      return MAPPER.readTree(
          Serialization.asJson(workload.getAdditionalProperties().get("status")));
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public @Nullable ShownJob shown(GenericKubernetesResource workload) {
    boolean held = ShownJob.finalizers(workload.getMetadata()).contains(ShownJob.FINALIZER);
    Long generation = workload.getMetadata().getGeneration();
    WorkloadStatus status =
        WorkloadStatus.read(status(workload), generation == null ? 0 : generation, held);
    return status == null
        ? null
        : ShownJob.of(workload.getMetadata(), prefix(), status, installation);
  }

  @Override
  public boolean asks(GenericKubernetesResource workload, String uid) {
    return uid.equals(workload.getMetadata().getUid());
  }

  @Override
  public FrontRequest request(GenericKubernetesResource workload) {
    String json;
    try {
      json = Serialization.asJson(workload.getAdditionalProperties().get("spec"));
    } catch (KubernetesClientException deep) {
      return new FrontRequest.Inexpressible("/spec", "its objects and lists are nested too deeply");
    }
    return json.length() > JobDocument.LARGEST
        ? new FrontRequest.Inexpressible(
            "/spec",
            "it has %d characters as JSON, more than %d. Shorten it, or move files into an image or a volume"
                .formatted(json.length(), JobDocument.LARGEST))
        : new FrontRequest.Document(json);
  }

  @Override
  public void show(ObjectNode patch, FrontStatus status, @Nullable ShownJob is) {
    WorkloadStatus before = is == null ? null : is.workload();
    patch.set("status", WorkloadStatus.next(before, status).patch());
  }

  @Override
  public boolean patchesStatus() {
    return true;
  }

  @Override
  public boolean offered(Supplier<KubernetesClient> client) {
    APIResourceList all = calls.read(() -> client.get().getApiResources(VERSION));
    return all != null && all.getResources().stream().anyMatch(one -> PLURAL.equals(one.getName()));
  }
}
