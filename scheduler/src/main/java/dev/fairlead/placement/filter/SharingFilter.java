package dev.fairlead.placement.filter;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.SharedGpus;
import dev.fairlead.node.Node;
import dev.fairlead.placement.shape.MemberShape;

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
