package dev.fairlead.fleet.node;

import dev.fairlead.kernel.resources.ResourceVector;
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
 * @param faults conditions that say that the machine is sick, by type
 * @param marks what it shows of our pools and quarantines; its labels and taints are without that
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
    List<Gpu> gpus,
    List<NodeCondition> faults,
    NodeMarks marks) {
  public NodeReport {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    taints = List.copyOf(taints);
    topology = Collections.unmodifiableSortedMap(new TreeMap<>(topology));
    gpus = List.copyOf(gpus);
    faults = List.copyOf(faults);
  }

  /** One whose machine is well, and that shows nothing of ours. */
  public NodeReport(
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
    this(
        name,
        ready,
        cordoned,
        ourMark,
        machineGone,
        gpuModel,
        gpuMemoryMiB,
        allocatable,
        foreign,
        labels,
        taints,
        topology,
        bootId,
        gpus,
        List.of(),
        NodeMarks.NONE);
  }

  /** Whether the machine is about to go: nothing new is placed there. */
  public boolean leaving() {
    return taints.stream().anyMatch(t -> t.key().equals(Taint.LEAVING));
  }

  public boolean outOfService() {
    return taints.stream().anyMatch(t -> t.key().equals(Taint.OUT_OF_SERVICE));
  }

  /** The same when its machine is known to be off and its object is not there any more. */
  public NodeReport gone() {
    return new NodeReport(
        name,
        false,
        cordoned,
        ourMark,
        true,
        gpuModel,
        gpuMemoryMiB,
        allocatable,
        ResourceVector.ZERO,
        labels,
        taints,
        topology,
        bootId,
        gpus);
  }

  /** The same with other use by others. */
  public NodeReport withForeign(ResourceVector other) {
    return new NodeReport(
        name,
        ready,
        cordoned,
        ourMark,
        machineGone,
        gpuModel,
        gpuMemoryMiB,
        allocatable,
        other,
        labels,
        taints,
        topology,
        bootId,
        gpus,
        faults,
        marks);
  }
}
