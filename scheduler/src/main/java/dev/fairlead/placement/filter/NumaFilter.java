package dev.fairlead.placement.filter;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.node.Node;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.spec.PlacementSpec.Numa;

/** Members that must be aligned only on nodes of which that is known, and whose parts suffice. */
public final class NumaFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "NUMA";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    return member.numa() != Numa.REQUIRED || NumaNodes.holds(node, member);
  }
}
