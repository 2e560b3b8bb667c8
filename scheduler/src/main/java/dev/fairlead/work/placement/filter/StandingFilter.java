package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;

/** A hard constraint that does not look at the member: asked once per node and cycle. */
public interface StandingFilter {
  /** Its name in explanations, upper case. */
  String constraint();

  /** Whether the node takes anything at all. */
  boolean admits(Cluster cluster, Node node);
}
