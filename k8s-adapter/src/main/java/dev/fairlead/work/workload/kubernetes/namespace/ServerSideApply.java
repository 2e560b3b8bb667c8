package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.kernel.lease.Installation;
import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes the objects that Fairlead owns on a cluster by server-side apply. Fields that others set
 * remain, unless Fairlead sets them too: Fairlead's value then wins. Objects that must not exist
 * before, such as namespaces, are created by POST instead.
 */
public final class ServerSideApply {
  /** The field manager of all installations. They share no field that they set differently. */
  public static final String MANAGER = "fairlead";

  private static final PatchContext APPLY = forced(MANAGER);

  /** A manager of labels only: an apply removes the other fields of its manager. */
  private static final PatchContext LABEL = forced(MANAGER + "-labels");

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final ClusterCalls calls;

  public ServerSideApply(ClusterCalls calls) {
    this.calls = calls;
  }

  private static PatchContext forced(String manager) {
    return new PatchContext.Builder()
        .withPatchType(PatchType.SERVER_SIDE_APPLY)
        .withFieldManager(manager)
        .withForce(true)
        .build();
  }

  /** Returns the metadata of an object without an attempt. */
  static ObjectMeta meta(Installation installation, String namespace, String name) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withNamespace(namespace)
        .withLabels(ObjectLabels.of(installation))
        .build();
  }

  /**
   * Creates the object, or sets its fields in the existing object. With a resource version, it does
   * so only if the object still has that version.
   *
   * @return the stored object
   * @throws CallFailure if it was refused or not answered
   */
  public <T extends HasMetadata> T apply(KubernetesClient client, T wanted) {
    Map<String, Object> fields = fields(client, wanted);
    if (wanted instanceof NetworkPolicy) { // an absent list would retain the rules of others
      Map<String, Object> spec = fields(client, fields.get("spec"));
      spec.putIfAbsent("ingress", List.of());
      spec.putIfAbsent("egress", List.of());
      fields.put("spec", spec);
    }
    return sent(client, APPLY, wanted, fields);
  }

  /**
   * Sets labels of an existing object, and never creates it. Fairlead's other labels on it are
   * applied with their present values, because an apply removes labels that it no longer contains.
   */
  public <T extends HasMetadata> T label(
      KubernetesClient client, T there, Map<String, String> wanted) {
    ObjectMeta meta = there.getMetadata();
    SortedMap<String, String> labels = new TreeMap<>(labels(there));
    labels.keySet().removeIf(name -> !name.startsWith(ObjectNames.LABEL_PREFIX));
    labels.putAll(wanted);
    ObjectMeta only =
        new ObjectMetaBuilder()
            .withName(meta.getName())
            .withNamespace(meta.getNamespace())
            .withUid(meta.getUid())
            .withLabels(labels)
            .build();
    return sent(
        client,
        LABEL,
        there,
        Map.of("apiVersion", there.getApiVersion(), "kind", there.getKind(), "metadata", only));
  }

  /** Removes a label of others from an existing object, because an apply retains it. */
  void removeLabel(KubernetesClient client, HasMetadata there, String name) {
    if (labels(there).containsKey(name)) {
      merge(client, there, "{\"labels\":{\"" + name + "\":null}}");
    }
  }

  /** Removes the finalizers of others in the same way. */
  void removeFinalizers(KubernetesClient client, HasMetadata there) {
    if (!there.getMetadata().getFinalizers().isEmpty()) {
      merge(client, there, "{\"finalizers\":null}");
    }
  }

  private void merge(KubernetesClient client, HasMetadata there, String metadata) {
    calls.write(() -> client.resource(there).patch(MERGE, "{\"metadata\":%s}".formatted(metadata)));
  }

  private <T extends HasMetadata> T sent(
      KubernetesClient client, PatchContext how, T object, Map<String, Object> fields) {
    String body = client.getKubernetesSerialization().asJson(fields);
    return calls.write(() -> client.resource(object).patch(how, body));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> fields(KubernetesClient client, @Nullable Object of) {
    return new TreeMap<String, Object>(
        client.getKubernetesSerialization().convertValue(of, Map.class));
  }

  /**
   * Returns whether the existing object has the wanted labels and exactly the wanted content.
   * Labels of others do not count.
   */
  static boolean same(HasMetadata there, HasMetadata wanted) {
    return wrong(there, labels(wanted)).isEmpty()
        && Objects.equals(content(there), content(wanted));
  }

  private static @Nullable Object content(HasMetadata object) {
    return switch (object) {
      case NetworkPolicy policy -> policy.getSpec();
      case ResourceQuota quota -> quota.getSpec();
      case LimitRange range -> range.getSpec();
      case ServiceAccount account -> account.getAutomountServiceAccountToken();
      default -> throw new IllegalArgumentException(object.getKind());
    };
  }

  /** Returns the labels that are missing or differ. The epoch does not count. */
  static SortedMap<String, String> wrong(HasMetadata there, Map<String, String> wanted) {
    Map<String, String> has = labels(there);
    SortedMap<String, String> wrong = new TreeMap<>(wanted);
    wrong.remove(ObjectLabels.EPOCH);
    wrong.entrySet().removeIf(label -> label.getValue().equals(has.get(label.getKey())));
    return wrong;
  }

  private static Map<String, String> labels(HasMetadata object) {
    Map<String, String> labels = object.getMetadata().getLabels();
    return labels == null ? Map.of() : labels;
  }
}
