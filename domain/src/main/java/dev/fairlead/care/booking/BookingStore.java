package dev.fairlead.care.booking;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Bookings of the fleet. A node is in at most one of them at any time. */
public interface BookingStore {
  /** Time of the database. */
  Instant now();

  /** Prevents other creations and cancellations until the end of the transaction. */
  void enter();

  /**
   * Bookings that have not ended, by start, then id. Each cycle calls this method, so it reads only
   * bookings that are new since the last call.
   */
  List<Booking> open();

  /**
   * Bookings that have not ended, for projects of the tenant.
   *
   * @param among the projects, or null for all of the tenant
   */
  List<Booking> open(TenantId tenant, @Nullable List<ProjectId> among);

  /** A booking, ended ones included until {@link #forget} removes them. */
  Optional<Booking> booking(BookingId id);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict BOOKED when one of its nodes is in another
   *     booking at that time
   */
  void insert(Booking booking);

  /** Returns whether the booking existed. */
  boolean remove(BookingId id);

  /** Removes bookings that ended before that time. */
  void forget(Instant endedBefore);
}
