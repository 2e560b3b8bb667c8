package dev.fairlead.care.booking;

import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Bookings of the fleet. Two of them never have a node at one time. */
public interface BookingStore {
  /** Of the database. */
  Instant now();

  /** No other booking is made or cancelled until the transaction ends. */
  void enter();

  /**
   * Those that have not ended, by start, then id. Asked in each cycle: costs what is new since the
   * last call.
   */
  List<Booking> open();

  /**
   * Those of them that are for projects of the tenant.
   *
   * @param among only those for these projects; null for all of the tenant
   */
  List<Booking> open(TenantId tenant, @Nullable List<ProjectId> among);

  /** Also one that has ended, until it is forgotten. */
  Optional<Booking> booking(BookingId id);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict BOOKED when a node of it is booked at one of
   *     its times
   */
  void insert(Booking booking);

  /** Whether it was there. */
  boolean remove(BookingId id);

  /** Removes those that ended before. */
  void forget(Instant endedBefore);
}
