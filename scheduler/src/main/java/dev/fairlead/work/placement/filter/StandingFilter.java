package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;

/**
 * A hard constraint that does not depend on the member. It is evaluated once per node and cycle.
 */
public interface StandingFilter {
  /** Returns the name in explanations, in upper case. */
  String constraint();

  /** Returns whether the node accepts any new member. */
  boolean admits(Cluster cluster, Node node);
}
