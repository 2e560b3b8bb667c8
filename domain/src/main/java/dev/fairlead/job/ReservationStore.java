package dev.fairlead.job;

import java.util.Collection;
import java.util.List;

/** Capacity kept for waiting jobs. Only the scheduler writes it, under its fence. */
public interface ReservationStore {
  /** Of all tenants, by job and element; those of jobs that are gone are left out. */
  List<Reservation> all();

  /** Writes or replaces, by job and element. */
  void put(Collection<Reservation> reservations);

  /** Those that are not there are passed over. */
  void remove(Collection<Reservation.Key> keys);
}
