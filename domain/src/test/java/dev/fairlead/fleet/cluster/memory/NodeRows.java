package dev.fairlead.fleet.cluster.memory;

import dev.fairlead.fleet.cluster.Cluster;
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
import dev.fairlead.work.attempt.member.GpuShare;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Rows of clusters and nodes after a change; the version is the caller's. */
final class NodeRows {
  private NodeRows() {}

  static Node fresh(
      NodeId id, ClusterId cluster, NodeReport report, Predicate<String> quarantinedGpu) {
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
    return of(empty, report, Cordon.NONE, false, quarantinedGpu);
  }

  static Node of(
      Node n, NodeReport r, Cordon cordon, boolean quarantined, Predicate<String> quarantinedGpu) {
    NodeState next = NodeLifecycle.TABLE.next(n.state(), event(r, cordon)).orElse(n.state());
    NodeState state = quarantined && next != NodeState.RETIRED ? NodeState.QUARANTINED : next;
    return new Node(
        n.id(),
        n.cluster(),
        n.name(),
        state,
        r.gpuModel(),
        r.gpuMemoryMiB(),
        r.allocatable(),
        n.allocated(),
        r.foreign(),
        r.labels(),
        r.taints(),
        r.topology(),
        r.bootId(),
        gpus(n.gpus(), r.gpus(), quarantinedGpu),
        n.version());
  }

  static Node gone(Node node) {
    return NodeLifecycle.TABLE
        .next(node.state(), NodeEvent.REPORTED_GONE)
        .map(s -> in(node, s))
        .orElse(node);
  }

  static Node in(Node n, NodeState state) {
    return copy(n, state, n.allocated(), n.gpus(), n.version());
  }

  static Node versioned(Node n, long version) {
    return copy(n, n.state(), n.allocated(), n.gpus(), version);
  }

  static Node holding(Node n, ResourceVector allocated) {
    return copy(n, n.state(), allocated, n.gpus(), n.version());
  }

  static Node taking(Node n, GpuShare share) {
    return changing(
        n, share, g -> held(g, g.allocatedMilli() + share.milli(), g.slices() | share.slices()));
  }

  static Node giving(Node n, GpuShare share) {
    return changing(
        n, share, g -> held(g, g.allocatedMilli() - share.milli(), g.slices() & ~share.slices()));
  }

  static Node quarantined(Node n, String gpu) {
    List<Gpu> gpus = new ArrayList<>();
    n.gpus()
        .forEach(g ->
            gpus.add(
                g.serial().equals(gpu)
                    ? new Gpu(
                        g.index(),
                        gpu,
                        GpuLifecycle.TABLE.next(g.state(), GpuEvent.QUARANTINE).orElse(g.state()),
                        g.allocatedMilli(),
                        g.slices())
                    : g));
    return copy(n, n.state(), n.allocated(), gpus, n.version());
  }

  private static Node changing(Node n, GpuShare share, UnaryOperator<Gpu> change) {
    List<Gpu> gpus = new ArrayList<>();
    n.gpus().forEach(g -> gpus.add(g.index() == share.index() ? change.apply(g) : g));
    return copy(n, n.state(), n.allocated(), gpus, n.version());
  }

  private static Gpu held(Gpu g, int milli, int slices) {
    return new Gpu(g.index(), g.serial(), g.state(), milli, slices);
  }

  static Cluster seen(Cluster c, Instant at) {
    return new Cluster(
        c.id(),
        c.name(),
        c.kind(),
        c.state(),
        c.capacity(),
        c.pricePerGpuHour(),
        c.settings(),
        c.capabilities(),
        c.createdAt(),
        at,
        c.trouble(),
        c.version());
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
    SortedMap<Integer, Gpu> all = new TreeMap<>();
    known.forEach(
        g -> all.put(g.index(), moved(g, g.serial(), GpuEvent.REPORTED_LOST, quarantined)));
    for (Gpu r : reported) {
      Gpu row = known.stream().filter(g -> g.index() == r.index()).findFirst().orElse(null);
      all.put(
          r.index(),
          moved(
              row == null ? new Gpu(r.index(), r.serial(), r.state(), 0) : row,
              r.serial(),
              event(r.state()),
              quarantined));
    }
    return List.copyOf(all.values());
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

  private static Node copy(
      Node n, NodeState state, ResourceVector allocated, List<Gpu> gpus, long version) {
    return new Node(
            n.id(),
            n.cluster(),
            n.name(),
            state,
            n.gpuModel(),
            n.gpuMemoryMiB(),
            n.allocatable(),
            allocated,
            n.foreign(),
            n.labels(),
            n.taints(),
            n.topology(),
            n.bootId(),
            gpus,
            version)
        .in(n.pool());
  }
}
