package dev.fairlead.fleet.cluster.memory;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuEvent;
import dev.fairlead.fleet.node.gpu.GpuLifecycle;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.member.GpuShare;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Rows of nodes after a change. The version is unchanged. */
final class NodeRows {
  private NodeRows() {}

  static Node holding(Node n, ResourceVector allocated) {
    return n.withStatus(n.status().withAllocated(allocated));
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
    return n.withStatus(n.status().withGpus(gpus));
  }

  private static Node changing(Node n, GpuShare share, UnaryOperator<Gpu> change) {
    List<Gpu> gpus = new ArrayList<>();
    n.gpus().forEach(g -> gpus.add(g.index() == share.index() ? change.apply(g) : g));
    return n.withStatus(n.status().withGpus(gpus));
  }

  private static Gpu held(Gpu g, int milli, int slices) {
    return new Gpu(g.index(), g.serial(), g.state(), milli, slices);
  }
}
