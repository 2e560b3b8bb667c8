package dev.fairlead.work.workload.kubernetes.front;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.kernel.identity.Sha256;
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

/** Objects of the API group of Fairlead. Their definitions are in {@code deploy/crds}. */
abstract class SpecForm implements FrontForm<GenericKubernetesResource> {
  private static final String GROUP = "fairlead.dev";
  private static final String VERSION = "v1alpha1";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final ClusterCalls calls;
  private final String plural;
  private final ResourceDefinitionContext context;

  SpecForm(String kind, String plural, ClusterCalls calls) {
    this.calls = calls;
    this.plural = plural;
    context =
        new ResourceDefinitionContext.Builder()
            .withGroup(GROUP)
            .withVersion(VERSION)
            .withKind(kind)
            .withPlural(plural)
            .withNamespaced(true)
            .build();
  }

  @Override
  public Informable<GenericKubernetesResource> all(KubernetesClient client) {
    return client.genericKubernetesResources(context).inAnyNamespace();
  }

  @Override
  public Resource<GenericKubernetesResource> named(
      KubernetesClient client, String namespace, String name) {
    return client.genericKubernetesResources(context).inNamespace(namespace).withName(name);
  }

  @Override
  public GenericKubernetesResource blank() {
    return new GenericKubernetesResource();
  }

  static long generation(GenericKubernetesResource object) {
    Long generation = object.getMetadata().getGeneration();
    return generation == null ? 0 : generation;
  }

  /** SHA-256 of the spec, regardless of the order of its fields. */
  static String digest(GenericKubernetesResource object) {
    try {
      return Sha256.hex(
          MAPPER
              .writer(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
              .writeValueAsString(object.getAdditionalProperties().get("spec")));
    } catch (JsonProcessingException deep) {
      return "generation " + generation(object); // it is refused
    }
  }

  /** The status of the object, missing or null if none. */
  static JsonNode status(GenericKubernetesResource object) {
    try {
      return MAPPER.readTree(Serialization.asJson(object.getAdditionalProperties().get("status")));
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public boolean asks(GenericKubernetesResource object, String uid) {
    return uid.equals(object.getMetadata().getUid());
  }

  @Override
  public FrontRequest request(GenericKubernetesResource object) {
    String json;
    try {
      json = Serialization.asJson(object.getAdditionalProperties().get("spec"));
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
  public boolean patchesStatus() {
    return true;
  }

  @Override
  public boolean offered(Supplier<KubernetesClient> client) {
    APIResourceList all = calls.read(() -> client.get().getApiResources(GROUP + "/" + VERSION));
    return all != null && all.getResources().stream().anyMatch(one -> plural.equals(one.getName()));
  }
}
