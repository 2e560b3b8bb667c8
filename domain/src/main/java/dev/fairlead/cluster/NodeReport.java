package dev.fairlead.cluster;

import dev.fairlead.resources.ResourceVector;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A node as its cluster reports it now.
 *
 * @param ready whether its kubelet answers and says it is ready
 * @param cordoned whether it is marked unschedulable
 * @param ourMark whether it is unschedulable by a mark of ours
 * @param machineGone whether the machine is confirmed gone (a report that stays after the node
 *     object went)
 * @param foreign requests of pods that are not ours
 * @param gpus index, serial and state; {@code allocatedMilli} is ignored
 */
public record NodeReport(
    String name,
    boolean ready,
    boolean cordoned,
    boolean ourMark,
    boolean machineGone,
    String gpuModel,
    long gpuMemoryMiB,
    ResourceVector allocatable,
    ResourceVector foreign,
    SortedMap<String, String> labels,
    List<Taint> taints,
    SortedMap<String, String> topology,
    String bootId,
    List<Gpu> gpus) {
  public NodeReport {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    taints = List.copyOf(taints);
    topology = Collections.unmodifiableSortedMap(new TreeMap<>(topology));
    gpus = List.copyOf(gpus);
  }

  public boolean outOfService() {
    return taints.stream().anyMatch(t -> t.key().equals(Taint.OUT_OF_SERVICE));
  }
}
