package dev.fairlead.placement.filter;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.node.Node;
import dev.fairlead.placement.shape.MemberShape;

/** Not on nodes that are booked for others, or for maintenance, before the job has left. */
public final class BookingFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "BOOKED";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    return member.booked().none() || !member.booked().has(node.id());
  }
}
