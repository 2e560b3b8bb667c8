package dev.fairlead.placement.preemption;

import dev.fairlead.placement.ledger.Taken;
import dev.fairlead.placement.reservation.Holder;
import dev.fairlead.placement.routing.Route;
import java.util.List;

/**
 * Who goes, and where the job that they make room for starts then.
 *
 * @param members in the order in which they were placed
 * @param victims at least one
 */
public record Eviction(Route route, List<Taken> members, List<Chosen> victims) {
  /** A live attempt that is to go, and by which right. */
  public record Chosen(Holder holder, Victim.Reason reason) {}

  public Eviction {
    members = List.copyOf(members);
    victims = List.copyOf(victims);
  }
}
