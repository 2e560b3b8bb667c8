package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeEvent;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeLifecycle;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuEvent;
import dev.fairlead.fleet.node.gpu.GpuLifecycle;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.ResourceVector;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The next row of a node, from its row and its cluster's report. Pure. The version is unchanged.
 */
final class NodeTransition {
  private NodeTransition() {}

  /** A new node. */
  static Node fresh(NodeId id, ClusterId cluster, NodeReport report, Set<String> quarantinedGpus) {
    Node empty =
        new Node(
            id,
            cluster,
            report.name(),
            NodeState.RETIRED,
            report.gpuModel(),
            report.gpuMemoryMiB(),
            report.allocatable(),
            ResourceVector.ZERO,
            report.foreign(),
            report.labels(),
            report.taints(),
            report.topology(),
            report.bootId(),
            List.of(),
            1);
    return reported(empty, report, Cordon.NONE, false, quarantinedGpus);
  }

  /**
   * @param quarantined whether the node has an active quarantine, which no report ends
   * @param quarantinedGpus UUIDs of devices with an active quarantine
   */
  static Node reported(
      Node node,
      NodeReport report,
      Cordon cordon,
      boolean quarantined,
      Set<String> quarantinedGpus) {
    NodeState next =
        NodeLifecycle.TABLE.next(node.state(), event(report, cordon)).orElse(node.state());
    NodeState state = quarantined && next != NodeState.RETIRED ? NodeState.QUARANTINED : next;
    return new Node(
        node.id(),
        node.cluster(),
        node.name(),
        state,
        report.gpuModel(),
        report.gpuMemoryMiB(),
        report.allocatable(),
        node.allocated(),
        report.foreign(),
        report.labels(),
        report.taints(),
        report.topology(),
        report.bootId(),
        gpus(node.gpus(), report.gpus(), quarantinedGpus),
        node.version());
  }

  /** A node that its cluster no longer lists. */
  static Node gone(Node node) {
    NodeState state =
        NodeLifecycle.TABLE.next(node.state(), NodeEvent.REPORTED_GONE).orElse(node.state());
    return new Node(
        node.id(),
        node.cluster(),
        node.name(),
        state,
        node.gpuModel(),
        node.gpuMemoryMiB(),
        node.allocatable(),
        node.allocated(),
        node.foreign(),
        node.labels(),
        node.taints(),
        node.topology(),
        node.bootId(),
        node.gpus(),
        node.version());
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

  /** A device that is no longer reported is lost. Its row remains, since an attempt may hold it. */
  private static List<Gpu> gpus(List<Gpu> known, List<Gpu> reported, Set<String> quarantined) {
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

  private static Gpu moved(Gpu gpu, String serial, GpuEvent event, Set<String> quarantined) {
    GpuState state = GpuLifecycle.reported(gpu.state(), event, quarantined.contains(serial));
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
