package dev.fairlead.work.attempt;

import dev.fairlead.fleet.node.KeptCapacity;
import java.util.Collection;
import java.util.List;

/**
 * Capacity kept for waiting jobs. The scheduler writes it under its fence; a supervisor adds the
 * place of a gang that it stops for a fault, under its own.
 */
public interface ReservationStore extends KeptCapacity {
  /** Of all tenants, by job and element; those of jobs that are gone are left out. */
  List<Reservation> all();

  @Override
  default List<Kept> kept() {
    return all().stream().flatMap(r -> r.kept().stream()).toList();
  }

  /** Writes or replaces, by job and element. */
  void put(Collection<Reservation> reservations);

  /**
   * Removes what still stands as it was seen: of the same kind, made at the same time and kept as
   * long. What is gone, or has another in its place, is passed over.
   */
  void remove(Collection<Reservation> seen);
}
