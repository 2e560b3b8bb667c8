package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.placement.shape.MemberShape;

/** Nodes whose GPUs are of an acceptable model; a member without GPU goes anywhere. */
public final class GpuModelFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "MODEL";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    return !member.asksGpu()
        || !node.gpuModel().equals(Flavor.CPU)
            && member.gpu().accepts(node.gpuModel(), Long.MAX_VALUE);
  }
}
