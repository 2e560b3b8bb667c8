package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.spec.PlacementSpec.Numa;

/**
 * Admits members that require NUMA alignment only to nodes with a known and sufficient NUMA layout.
 */
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
