package dev.fairlead.fleet.node;

import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.kernel.resources.ResourceVector;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The current report of a cluster about a node.
 *
 * @param ready whether its kubelet answers and reports it as ready
 * @param cordoned whether it is marked unschedulable
 * @param ourCordon whether Fairlead marked it unschedulable
 * @param machineGone whether the machine is confirmed gone (such a report remains after the node
 *     object was deleted)
 * @param foreign requests of pods outside Fairlead
 * @param gpus index, serial and state. {@code allocatedMilli} is ignored
 * @param faults conditions that report a fault of the machine, by type
 * @param labelsAndTaints labels and taints of Fairlead for pools and quarantines, which are not in
 *     {@code labels} and {@code taints}
 */
@RecordBuilder
public record NodeReport(
    String name,
    boolean ready,
    boolean cordoned,
    boolean ourCordon,
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
    NodeLabelsAndTaints labelsAndTaints)
    implements NodeReportBuilder.With {
  public NodeReport {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    taints = List.copyOf(taints);
    topology = Collections.unmodifiableSortedMap(new TreeMap<>(topology));
    gpus = List.copyOf(gpus);
    faults = List.copyOf(faults);
  }

  /** Returns whether the machine is about to be removed, so it accepts no new members. */
  public boolean leaving() {
    return taints.stream().anyMatch(t -> t.key().equals(Taint.LEAVING));
  }

  /** Returns the notice about its machine. */
  public Optional<NodeNotice> notice() {
    return NodeNotice.of(taints);
  }

  /** Returns whether the machine is about to end or restart. A pause does not end processes. */
  public boolean endsSoon() {
    return leaving() && notice().map(NodeNotice::stops).orElse(true);
  }

  /**
   * Returns the report with this notice only. The node is leaving if the notice closes it.
   *
   * @param now time of the comparison with the deadline
   */
  public NodeReport noticed(NodeNotice notice, Instant now) {
    List<Taint> others = new ArrayList<>(NodeNotice.without(taints));
    others.add(notice.taint());
    if (notice.closes(now)) {
      others.add(notice.leaving());
    }
    return withTaints(others);
  }

  public boolean outOfService() {
    return taints.stream().anyMatch(t -> t.key().equals(Taint.OUT_OF_SERVICE));
  }

  /**
   * Returns the report for a machine that is known to be off, after its node object was deleted.
   */
  public NodeReport gone() {
    return with()
        .ready(false)
        .machineGone(true)
        .foreign(ResourceVector.ZERO)
        .faults(List.of())
        .labelsAndTaints(NodeLabelsAndTaints.NONE)
        .build();
  }

  /**
   * Returns the report with these GPUs instead of a device plugin's.
   *
   * @param use requests of pods outside Fairlead
   */
  public NodeReport withGpus(
      String model,
      long modelMemoryMiB,
      ResourceVector offered,
      ResourceVector use,
      SortedMap<String, String> relabelled,
      List<Gpu> devices) {
    return with()
        .gpuModel(model)
        .gpuMemoryMiB(modelMemoryMiB)
        .allocatable(offered)
        .foreign(use)
        .labels(relabelled)
        .gpus(devices)
        .build();
  }
}
