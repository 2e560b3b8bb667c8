package dev.fairlead.work.workload.kubernetes.namespace;

import dev.fairlead.work.attempt.ObjectNames;
import dev.fairlead.work.workload.kubernetes.call.CallFailure;
import dev.fairlead.work.workload.kubernetes.call.ClusterCalls;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.SortedMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Restores changed labels of Fairlead's objects, because the watches select objects by label. */
public final class LabelRepair {
  private static final Logger LOG = LoggerFactory.getLogger(LabelRepair.class);
  private final ServerSideApply apply;

  public LabelRepair(ClusterCalls calls) {
    apply = new ServerSideApply(calls);
  }

  /**
   * Returns whether the object carries Fairlead's finalizer. Names contain the attempt's id, so an
   * object of that name with the finalizer is Fairlead's, regardless of its labels.
   */
  public static boolean tracked(HasMetadata object) {
    return object.getMetadata().getFinalizers().contains(ObjectLabels.TRACKING);
  }

  /**
   * Returns the object with Fairlead's labels restored, if the cluster accepts them.
   *
   * @throws CallFailure if the call is not answered
   */
  public <T extends HasMetadata> T restored(KubernetesClient client, T there, T wanted) {
    Map<String, String> labels = wanted.getMetadata().getLabels();
    return labels == null ? there : restored(client, there, labels);
  }

  /** Restores these labels in the same way. */
  public <T extends HasMetadata> T restored(
      KubernetesClient client, T there, Map<String, String> wanted) {
    SortedMap<String, String> wrong = wrong(there, wanted);
    if (wrong.isEmpty()) {
      return there;
    }
    String what =
        there.getKind()
            + " "
            + there.getMetadata().getNamespace()
            + "/"
            + there.getMetadata().getName();
    T patched = apply.label(client, there, wrong);
    SortedMap<String, String> still = wrong(patched, wanted);
    if (still.isEmpty()) {
      LOG.warn("{}: labels {} were changed there and are restored", what, wrong.keySet());
    } else {
      LOG.warn(
          "{}: labels {} are changed by the cluster, so it is not seen. Exempt namespaces {}* from"
              + " the mutating policy or webhook that does it.",
          what,
          still.keySet(),
          Namespaces.PREFIX);
    }
    return patched;
  }

  /** Returns Fairlead's labels that are missing or wrong, with their correct values. */
  private static SortedMap<String, String> wrong(HasMetadata there, Map<String, String> wanted) {
    SortedMap<String, String> wrong = ServerSideApply.wrong(there, wanted);
    wrong.keySet().removeIf(name -> !name.startsWith(ObjectNames.LABEL_PREFIX));
    return wrong;
  }
}
