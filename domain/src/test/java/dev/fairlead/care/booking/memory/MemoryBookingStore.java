package dev.fairlead.care.booking.memory;

import dev.fairlead.care.booking.Booking;
import dev.fairlead.care.booking.BookingId;
import dev.fairlead.care.booking.BookingStore;
import dev.fairlead.fleet.cluster.memory.MemoryInventoryStore;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Twin of {@link BookingStore}; the twin of the inventory asks it which nodes are booked. */
public final class MemoryBookingStore implements BookingStore {
  private final MemoryDatabase database;
  private final InstantSource clock;
  private final MemoryTable<BookingId, Booking> bookings;

  public MemoryBookingStore(
      MemoryDatabase database, MemoryInventoryStore inventory, InstantSource clock) {
    this.database = database;
    this.clock = clock;
    this.bookings = database.table();
    inventory.bookedBy(this::open);
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public void enter() {
    // one transaction at a time
  }

  @Override
  public List<Booking> open() {
    return database.call(() ->
        bookings.all().stream()
            .filter(booking -> !booking.ended(now()))
            .sorted(Comparator.comparing(Booking::start).thenComparing(Booking::id))
            .toList());
  }

  @Override
  public List<Booking> open(TenantId tenant, @Nullable List<ProjectId> among) {
    return open().stream()
        .filter(booking ->
            booking.owner() != null
                && booking.owner().tenant().equals(tenant)
                && (among == null || among.contains(booking.owner().project())))
        .toList();
  }

  @Override
  public Optional<Booking> booking(BookingId id) {
    return database.call(() -> bookings.find(id));
  }

  @Override
  public void insert(Booking booking) {
    database.run(() -> {
      boolean meets =
          bookings.all().stream()
              .filter(other -> other.meets(booking.start(), booking.end()))
              .anyMatch(booking::shares);
      if (meets) {
        throw new Conflict(Guard.BOOKED, booking.name());
      }
      bookings.put(booking.id(), booking);
    });
  }

  @Override
  public boolean remove(BookingId id) {
    return database.call(() -> {
      boolean there = bookings.find(id).isPresent();
      bookings.remove(id);
      return there;
    });
  }

  @Override
  public void forget(Instant endedBefore) {
    database.run(() ->
        bookings.all().stream()
            .filter(booking -> booking.end().isBefore(endedBefore))
            .map(Booking::id)
            .toList()
            .forEach(bookings::remove));
  }
}
