package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.SharedGpus;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/**
 * Parts of a GPU only where they are realised, and whole ones not where GPUs are handed out in
 * parts.
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
