package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/** Admits nodes with GPUs that have the requested device memory. */
public final class GpuMemoryFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "GPU_MEMORY";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    return !member.asksGpu() || node.gpuMemoryMiB() >= member.gpu().minMemoryMiB();
  }
}
