package dev.fairlead.care.reservation;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Advance reservations of the fleet. A node is in at most one advance reservation at any time. */
public interface AdvanceReservationStore {
  /** Time of the database. */
  Instant now();

  /** Prevents other creations and cancellations until the end of the transaction. */
  void enter();

  /**
   * Advance reservations that have not ended, by start, then id. Each cycle calls this method, so
   * it reads only advance reservations that are new since the last call.
   */
  List<AdvanceReservation> open();

  /**
   * Advance reservations that have not ended, for projects of the tenant.
   *
   * @param among the projects, or null for all of the tenant
   */
  List<AdvanceReservation> open(TenantId tenant, @Nullable List<ProjectId> among);

  /** An advance reservation, including ended ones until {@link #forget} removes them. */
  Optional<AdvanceReservation> advanceReservation(AdvanceReservationId id);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict BOOKED when another advance reservation has
   *     one of its nodes at that time
   */
  void insert(AdvanceReservation advanceReservation);

  /** Returns whether the advance reservation existed. */
  boolean remove(AdvanceReservationId id);

  /** Removes advance reservations that ended before that time. */
  void forget(Instant endedBefore);
}
