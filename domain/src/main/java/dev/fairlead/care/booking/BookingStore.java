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

  /** Open ones, by start, then id. Called in each cycle: reads only changes since the last call. */
  List<Booking> open();

  /**
   * The ones for projects of the tenant.
   *
   * @param among only those for these projects; null for all of the tenant
   */
  List<Booking> open(TenantId tenant, @Nullable List<ProjectId> among);

  /** Includes ended ones until they are deleted. */
  Optional<Booking> booking(BookingId id);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict BOOKED if a node of it is booked at an
   *     overlapping time
   */
  void insert(Booking booking);

  /** Whether it existed. */
  boolean remove(BookingId id);

  /** Deletes those that ended before. */
  void forget(Instant endedBefore);
}
