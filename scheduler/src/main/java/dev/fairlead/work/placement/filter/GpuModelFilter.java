package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.placement.shape.MemberShape;

/** Admits nodes with GPUs of an acceptable model. A member without GPU is admitted everywhere. */
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
