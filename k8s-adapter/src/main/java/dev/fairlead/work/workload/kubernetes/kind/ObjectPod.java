package dev.fairlead.work.workload.kubernetes.kind;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.TreeMap;

/**
 * A pod of an object that runs in place, as its cluster shows it. A user can create such a pod, so
 * it proves nothing.
 *
 * @param labels with its role. Users can add labels of any total size, which would stay in memory
 * @param restarts restarts of all its containers
 */
public record ObjectPod(
    String name, String node, Map<String, String> labels, String phase, int restarts) {

  /** Returns a pod on a node. */
  public static ObjectPod of(Pod pod) {
    boolean status = pod.getStatus() != null;
    Map<String, String> labels = new TreeMap<>(pod.getMetadata().getLabels());
    labels.keySet().retainAll(Kinds.labels());
    return new ObjectPod(
        pod.getMetadata().getName(),
        pod.getSpec().getNodeName(),
        labels,
        status && pod.getStatus().getPhase() != null ? pod.getStatus().getPhase() : "Unknown",
        status
            ? pod.getStatus().getContainerStatuses().stream()
                .mapToInt(ContainerStatus::getRestartCount)
                .sum()
            : 0);
  }

  /** Name, node, phase and restarts, human-readable. */
  public String text() {
    String many =
        switch (restarts) {
          case 0 -> "";
          case 1 -> ", 1 restart";
          default -> ", " + restarts + " restarts";
        };
    return "pod " + name + " on " + node + ": " + phase + many;
  }
}
