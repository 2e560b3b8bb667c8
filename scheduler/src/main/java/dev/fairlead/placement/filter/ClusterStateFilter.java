package dev.fairlead.placement.filter;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterState;
import dev.fairlead.node.Node;

/** Only an active cluster takes anything new. */
public final class ClusterStateFilter implements StandingFilter {
  @Override
  public String constraint() {
    return "CLUSTER";
  }

  @Override
  public boolean admits(Cluster cluster, Node node) {
    return cluster.state() == ClusterState.ACTIVE;
  }
}
