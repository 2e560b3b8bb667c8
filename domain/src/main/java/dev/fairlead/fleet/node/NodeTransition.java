package dev.fairlead.fleet.node;

import dev.fairlead.fleet.node.gpu.DeviceSlots;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuEvent;
import dev.fairlead.fleet.node.gpu.GpuLifecycle;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The next row of a node, from its row and its cluster's report. Pure. The version is unchanged.
 */
public final class NodeTransition {
  private NodeTransition() {}

  public static Node fresh(
      NodeId id, ClusterId cluster, NodeReport report, Predicate<String> quarantinedGpu) {
    Node empty = new Node(id, cluster, report.name(), 1, null, NodeStatus.EMPTY);
    return reported(empty, report, Cordon.NONE, false, quarantinedGpu);
  }

  /**
   * @param quarantined whether the node has an active quarantine, which no report ends
   * @param quarantinedGpu whether the device with this UUID has an active quarantine
   */
  public static Node reported(
      Node node,
      NodeReport report,
      Cordon cordon,
      boolean quarantined,
      Predicate<String> quarantinedGpu) {
    NodeState next =
        NodeLifecycle.TABLE.next(node.state(), event(report, cordon)).orElse(node.state());
    NodeState state = quarantined && next != NodeState.RETIRED ? NodeState.QUARANTINED : next;
    List<Gpu> gpus =
        gpus(node.gpus(), DeviceSlots.assigned(node.gpus(), report.gpus()), quarantinedGpu);
    return node.withStatus(
        node.status()
            .with()
            .state(state)
            .gpuModel(report.gpuModel())
            .gpuMemoryMiB(report.gpuMemoryMiB())
            .allocatable(report.allocatable())
            .foreign(report.foreign())
            .taints(report.taints())
            .topology(report.topology())
            .bootId(report.bootId())
            .gpus(gpus)
            .build()
            .labelled(report.labels()));
  }

  /** A node that its cluster no longer lists. */
  public static Node gone(Node node) {
    return NodeLifecycle.TABLE
        .next(node.state(), NodeEvent.REPORTED_GONE)
        .map(node::in)
        .orElse(node);
  }

  private static NodeEvent event(NodeReport report, Cordon cordon) {
    if (report.machineGone()) {
      return NodeEvent.REPORTED_GONE;
    }
    if (!report.ready()) {
      return NodeEvent.REPORTED_NOT_READY;
    }
    return report.cordoned() || report.leaving() || cordon == Cordon.ORDERED
        ? NodeEvent.REPORTED_CORDONED
        : NodeEvent.REPORTED_READY;
  }

  /**
   * A device that is no longer reported is lost. Its row remains, because an attempt may hold it.
   */
  private static List<Gpu> gpus(
      List<Gpu> known, List<Gpu> reported, Predicate<String> quarantined) {
    SortedMap<Integer, Gpu> next = new TreeMap<>();
    SortedMap<Integer, Gpu> rows = new TreeMap<>();
    for (Gpu row : known) {
      rows.put(row.index(), row);
      next.put(row.index(), moved(row, row.serial(), GpuEvent.REPORTED_LOST, quarantined));
    }
    for (Gpu report : reported) {
      Gpu row = rows.get(report.index());
      next.put(
          report.index(),
          moved(
              row == null ? new Gpu(report.index(), report.serial(), report.state(), 0) : row,
              report.serial(),
              event(report.state()),
              quarantined));
    }
    return List.copyOf(next.values());
  }

  private static Gpu moved(Gpu gpu, String serial, GpuEvent event, Predicate<String> quarantined) {
    GpuState state = GpuLifecycle.reported(gpu.state(), event, quarantined.test(serial));
    return new Gpu(gpu.index(), serial, state, gpu.allocatedMilli(), gpu.slices());
  }

  private static GpuEvent event(GpuState state) {
    return switch (state) {
      case HEALTHY -> GpuEvent.REPORTED_HEALTHY;
      case DEGRADED -> GpuEvent.REPORTED_FAULT;
      case FAILED -> GpuEvent.REPORTED_LOST;
      case QUARANTINED, UNKNOWN -> GpuEvent.SILENCE;
    };
  }
}
