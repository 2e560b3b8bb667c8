package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/** A hard constraint on nodes. Free capacity is not a filter, because it changes within a cycle. */
public interface NodeFilter {
  /** Returns the name in explanations, in upper case. */
  String constraint();

  /** Returns whether the node could take the member if it had enough free capacity. */
  boolean admits(Cluster cluster, Node node, MemberShape member);
}
