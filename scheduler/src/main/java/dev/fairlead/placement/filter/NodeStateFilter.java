package dev.fairlead.placement.filter;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.Node;
import dev.fairlead.cluster.NodeState;

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
