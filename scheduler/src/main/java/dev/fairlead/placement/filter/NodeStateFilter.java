package dev.fairlead.placement.filter;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.node.Node;
import dev.fairlead.node.NodeState;

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
