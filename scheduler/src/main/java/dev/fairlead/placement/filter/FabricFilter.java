package dev.fairlead.placement.filter;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.node.Node;
import dev.fairlead.placement.shape.MemberShape;

/** Members with {@code rdma} only on nodes that offer the fabric of their cluster. */
public final class FabricFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "FABRIC";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    String fabric = cluster.settings().rdmaResource();
    return !member.rdma()
        || fabric != null && node.allocatable().extended().getOrDefault(fabric, 0L) > 0;
  }
}
