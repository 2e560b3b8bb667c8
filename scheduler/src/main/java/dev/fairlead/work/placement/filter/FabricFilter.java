package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/** Admits members with {@code rdma} only to nodes that offer the fabric of their cluster. */
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
