package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/** Refuses clusters with a backend that refuses a request of the job or cannot start jobs. */
public final class BackendFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "BACKEND";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    return member.terms().refusedBy(cluster).isEmpty();
  }
}
