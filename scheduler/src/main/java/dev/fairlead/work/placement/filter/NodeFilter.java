package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/** A hard constraint on nodes. Room is no filter: it changes within a cycle. */
public interface NodeFilter {
  /** Its name in explanations, upper case. */
  String constraint();

  /** Whether the node could take the member if it had the room. */
  boolean admits(Cluster cluster, Node node, MemberShape member);
}
