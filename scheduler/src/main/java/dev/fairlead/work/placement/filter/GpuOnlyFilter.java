package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.work.placement.shape.MemberShape;

/**
 * Refuses members without a GPU on nodes that are tainted for GPU work. Pods with GPUs tolerate the
 * taint.
 */
public final class GpuOnlyFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "GPU_ONLY";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    return member.asksGpu()
        || node.taints().stream()
            .noneMatch(
                t -> t.key().equals(Taint.GPU_ONLY) && !t.effect().equals("PreferNoSchedule"));
  }
}
