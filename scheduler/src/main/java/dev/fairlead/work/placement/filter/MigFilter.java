package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.MigSlices;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/**
 * Admits MIG slices only on nodes that offer their profile, or that can partition a GPU into it.
 */
public final class MigFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "MIG";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    return MigSlices.realises(cluster, node, member.gpu());
  }
}
