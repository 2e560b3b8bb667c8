package dev.fairlead.work.job.memory;

import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.ReservationStore;
import java.util.Collection;
import java.util.List;

/** In-memory implementation of {@link ReservationStore}; jobs are never deleted here. */
public final class MemoryReservationStore implements ReservationStore {
  private final MemoryDatabase database;
  private final MemoryTable<Reservation.Key, Reservation> rows;

  public MemoryReservationStore(MemoryDatabase database) {
    this.database = database;
    this.rows = database.table();
  }

  @Override
  public List<Reservation> all() {
    return database.call(() -> List.copyOf(rows.all()));
  }

  @Override
  public void put(Collection<Reservation> reservations) {
    database.run(() -> reservations.forEach(r -> rows.put(r.key(), r)));
  }

  @Override
  public void remove(Collection<Reservation> seen) {
    database.run(() ->
        seen.forEach(r ->
            rows.find(r.key())
                .filter(now -> stands(now, r))
                .ifPresent(now -> rows.remove(now.key()))));
  }

  private static boolean stands(Reservation now, Reservation seen) {
    return now.kind() == seen.kind()
        && now.createdAt().equals(seen.createdAt())
        && now.expiresAt().equals(seen.expiresAt());
  }
}
