package dev.fairlead.work.placement.filter;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.placement.shape.MemberShape;

/**
 * Refuses nodes whose advance reservation for others, or for maintenance, begins before the job
 * would end.
 */
public final class AdvanceReservationFilter implements NodeFilter {
  @Override
  public String constraint() {
    return "BOOKED";
  }

  @Override
  public boolean admits(Cluster cluster, Node node, MemberShape member) {
    return member.booked().none() || !member.booked().has(node.id());
  }
}
