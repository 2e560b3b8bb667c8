package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.Node;

/** Refuses clusters that are not active. */
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
