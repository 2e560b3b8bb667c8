package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.SharedGpus;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/**
 * Admits GPU fractions only on nodes that support them, and whole GPUs only on nodes that do not
 * share GPUs.
 */
public final class SharingFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "SHARING";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    return SharedGpus.realises(cluster, node, member.gpu());
  }
}
