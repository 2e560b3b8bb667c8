package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeState;

/** Only active nodes: cordoned, draining, quarantined and unreachable ones take nothing. */
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
