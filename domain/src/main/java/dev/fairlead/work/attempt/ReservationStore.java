package dev.fairlead.work.attempt;

import dev.fairlead.fleet.node.CapacityReservations;
import java.util.Collection;
import java.util.List;

/**
 * Capacity reserved for waiting jobs. The scheduler writes it under its fence. A supervisor that
 * stops a gang for a fault adds the reservation under its own fence.
 */
public interface ReservationStore extends CapacityReservations {
  /** Reservations of all tenants, by job and element, without those of deleted jobs. */
  List<Reservation> all();

  @Override
  default List<Kept> kept() {
    return all().stream().flatMap(r -> r.kept().stream()).toList();
  }

  /** Writes or replaces, by job and element. */
  void put(Collection<Reservation> reservations);

  /**
   * Removes reservations that are unchanged since they were read: of the same kind, creation time
   * and expiry. Deleted or replaced ones are skipped.
   */
  void remove(Collection<Reservation> seen);
}
