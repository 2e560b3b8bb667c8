package dev.fairlead.placement.filter;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.Node;
import dev.fairlead.placement.shape.MemberShape;
import dev.fairlead.resources.GpuRequest;

/** MIG profiles have no placement rules yet: no node takes them. */
public final class MigFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "MIG";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    return member.gpu().kind() != GpuRequest.Kind.MIG;
  }
}
