package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts back labels of Fairlead that were changed on an object of its own: the watches see objects
 * by their labels.
 */
public final class LabelRepair {
  private static final Logger LOG = LoggerFactory.getLogger(LabelRepair.class);
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private final ClusterCalls calls;

  public LabelRepair(ClusterCalls calls) {
    this.calls = calls;
  }

  /**
   * Whether the object carries our finalizer. Names hold the id of the attempt, so one of that name
   * which carries it is ours, whatever its labels say.
   */
  public static boolean tracked(HasMetadata object) {
    return object.getMetadata().getFinalizers().contains(ObjectLabels.TRACKING);
  }

  /**
   * The object with the labels of Fairlead that it should have, as far as the cluster keeps them.
   *
   * @throws CallFailure when the call is not answered
   */
  public <T extends HasMetadata> T restored(KubernetesClient client, T there, T wanted) {
    return restored(client, there, labels(wanted));
  }

  /** As the other, with these labels. */
  public <T extends HasMetadata> T restored(
      KubernetesClient client, T there, Map<String, String> wanted) {
    SortedMap<String, String> wrong = wrong(there, wanted);
    if (wrong.isEmpty()) {
      return there;
    }
    StringBuilder entries = new StringBuilder();
    wrong.forEach((name, value) ->
        entries
            .append(entries.isEmpty() ? "" : ",")
            .append('"')
            .append(name)
            .append("\":\"")
            .append(value)
            .append('"'));
    String patch =
        "{\"metadata\":{\"uid\":\"%s\",\"labels\":{%s}}}"
            .formatted(there.getMetadata().getUid(), entries);
    String what =
        there.getKind()
            + " "
            + there.getMetadata().getNamespace()
            + "/"
            + there.getMetadata().getName();
    T patched = calls.write(() -> client.resource(there).patch(MERGE, patch));
    SortedMap<String, String> still = wrong(patched, wanted);
    if (still.isEmpty()) {
      LOG.warn("{}: labels {} were changed there and are put back", what, wrong.keySet());
    } else {
      LOG.warn(
          "{}: labels {} are changed by the cluster, so it is not seen; exempt namespaces {}* from"
              + " the mutating policy or webhook that does it",
          what,
          still.keySet(),
          Namespaces.PREFIX);
    }
    return patched;
  }

  /** Labels of ours that it has not, with the value that they should have. */
  private static SortedMap<String, String> wrong(HasMetadata there, Map<String, String> wanted) {
    SortedMap<String, String> wrong = new TreeMap<>();
    Map<String, String> has = labels(there);
    wanted.forEach((name, value) -> {
      boolean ours = name.startsWith(ObjectNames.LABEL_PREFIX) && !name.equals(ObjectLabels.TERM);
      if (ours && !value.equals(has.get(name))) {
        wrong.put(name, value);
      }
    });
    return wrong;
  }

  private static Map<String, String> labels(HasMetadata object) {
    Map<String, String> labels = object.getMetadata().getLabels();
    return labels == null ? Map.of() : labels;
  }
}
