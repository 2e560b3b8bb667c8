package dev.fairlead.work.workload.kubernetes.kind;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fairlead.fleet.cluster.connection.PodDevices;
import dev.fairlead.front.FrontRequest;
import dev.fairlead.front.FrontStatus;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.kubernetes.call.ByName;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import dev.fairlead.work.workload.kubernetes.front.FrontForm;
import dev.fairlead.work.workload.kubernetes.front.JobDocument;
import dev.fairlead.work.workload.kubernetes.front.JobForm;
import dev.fairlead.work.workload.kubernetes.front.KindState;
import dev.fairlead.work.workload.kubernetes.front.ShownJob;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Objects of a kind with the label of a queue. Their pods run on their own cluster, where Fairlead
 * reserves quota and nodes for them. The status that a Job has is an annotation of the object,
 * because its own controller writes its status.
 *
 * @param installation label of this one
 * @param cluster name of the cluster
 * @param devices form of its requests for whole GPUs
 */
public record KindForm(
    Kind kind, String installation, String cluster, PodDevices devices, ClusterCalls calls)
    implements FrontForm<GenericKubernetesResource> {
  /** Annotation of an object with its status in Fairlead, in the form of a Job's status. */
  static final String STATUS = ObjectNames.LABEL_PREFIX + "status";

  /** Longest annotation that is read, in characters. */
  private static final int LONGEST = 64 * 1024;

  @Override
  public String prefix() {
    return prefix(kind);
  }

  private static String prefix(Kind kind) {
    return kind.name() + "/";
  }

  private static ResourceDefinitionContext context(Kind kind) {
    return new ResourceDefinitionContext.Builder()
        .withGroup(kind.group())
        .withVersion(kind.version())
        .withKind(kind.kind())
        .withPlural(kind.plural())
        .withNamespaced(true)
        .build();
  }

  @Override
  public Informable<GenericKubernetesResource> all(KubernetesClient client) {
    return client.genericKubernetesResources(context(kind)).inAnyNamespace();
  }

  @Override
  public Resource<GenericKubernetesResource> named(
      KubernetesClient client, String namespace, String name) {
    return named(kind, client, namespace, name);
  }

  public static Resource<GenericKubernetesResource> named(
      Kind kind, KubernetesClient client, String namespace, String name) {
    return client.genericKubernetesResources(context(kind)).inNamespace(namespace).withName(name);
  }

  @Override
  public GenericKubernetesResource blank() {
    return new GenericKubernetesResource();
  }

  @Override
  public @Nullable ShownJob shown(GenericKubernetesResource object) {
    return shown(kind, installation, object);
  }

  /** The part of the object that Fairlead needs, null if Fairlead is not asked to run it. */
  public static @Nullable ShownJob shown(
      Kind kind, String installation, GenericKubernetesResource object) {
    if (!asks(object)) {
      return null;
    }
    ObjectMeta meta = object.getMetadata();
    ShownJob shown = ShownJob.of(meta, prefix(kind), told(meta), installation, true);
    if (shown == null) {
      return null;
    }
    KindState state = KindObject.of(kind, object).state();
    return new ShownJob(shown.seen(), shown.finalizers(), null, state, null);
  }

  private static @Nullable JobStatus told(ObjectMeta meta) {
    String text = meta.getAnnotations() == null ? null : meta.getAnnotations().get(STATUS);
    try {
      return text == null || text.length() > LONGEST
          ? null
          : Serialization.unmarshal(text, JobStatus.class);
    } catch (RuntimeException foreign) {
      return null;
    }
  }

  /** An object that another controller created is managed by its owner. */
  private static boolean asks(GenericKubernetesResource object) {
    ObjectMeta meta = object.getMetadata();
    Map<String, String> labels = meta.getLabels() == null ? Map.of() : meta.getLabels();
    List<String> finalizers = meta.getFinalizers() == null ? List.of() : meta.getFinalizers();
    boolean made =
        meta.getOwnerReferences() != null
            && meta.getOwnerReferences().stream()
                .anyMatch(owner -> Boolean.TRUE.equals(owner.getController()));
    return finalizers.contains(ShownJob.FINALIZER)
        || labels.containsKey(JobDocument.QUEUE) && !made;
  }

  @Override
  public boolean asks(GenericKubernetesResource object, String uid) {
    return asks(object) && uid.equals(object.getMetadata().getUid());
  }

  @Override
  public @Nullable FrontRequest request(GenericKubernetesResource object) {
    return request(KindObject.of(kind, object));
  }

  @Override
  public @Nullable FrontRequest read(GenericKubernetesResource object, KubernetesClient client) {
    return request(KindObject.of(kind, object, made(kind, object, calls, client)));
  }

  private @Nullable FrontRequest request(KindObject object) {
    return object.complete() ? KindDocument.of(kind, object, cluster, devices) : null;
  }

  /**
   * Reads the object that the object's controller has made of it, null if none.
   *
   * @throws dev.fairlead.work.workload.kubernetes.call.CallFailure without a response
   */
  public static @Nullable GenericKubernetesResource made(
      Kind kind, HasMetadata object, ClusterCalls calls, KubernetesClient client) {
    if (kind.made() == null) {
      return null;
    }
    ObjectMeta meta = object.getMetadata();
    Kind other = Kinds.of(kind.made());
    GenericKubernetesResource made =
        calls.read(() -> ByName.find(named(other, client, meta.getNamespace(), meta.getName())));
    return made != null
            && made.getMetadata().getOwnerReferences().stream()
                .anyMatch(owner ->
                    Boolean.TRUE.equals(owner.getController())
                        && meta.getUid().equals(owner.getUid()))
        ? made
        : null;
  }

  @Override
  public void show(ObjectNode patch, FrontStatus status, @Nullable ShownJob is) {
    show(patch, status);
  }

  /** Adds the annotation with the status to the patch. */
  public static void show(ObjectNode patch, FrontStatus status) {
    ObjectNode told = JsonNodeFactory.instance.objectNode();
    JobForm.status(told, status);
    patch.withObject("/metadata").withObject("/annotations").put(STATUS, told.toString());
  }

  @Override
  public boolean patchesStatus() {
    return false;
  }

  @Override
  public boolean offered(Supplier<KubernetesClient> client) {
    String version = kind.group() + "/" + kind.version();
    APIResourceList all = calls.read(() -> client.get().getApiResources(version));
    return all != null
        && all.getResources().stream().anyMatch(one -> kind.plural().equals(one.getName()));
  }
}
