package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;

/**
 * Admits active nodes only. Cordoned, draining, quarantined and unreachable nodes accept no new
 * members.
 */
public final class NodeStateFilter implements StandingFilter {
  @Override
  public String constraint() {
    return "HEALTH";
  }

  @Override
  public boolean admits(Cluster cluster, Node node) {
    return node.state() == NodeState.ACTIVE;
  }
}
