package dev.fairlead.work.placement.shape;

import dev.fairlead.care.booking.Booking;
import dev.fairlead.care.booking.BookingId;
import dev.fairlead.fleet.node.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bookings that close their nodes to a job. Two objects with the same bookings are equal,
 * because the nodes of a booking never change.
 */
public final class BookedNodes {
  public static final BookedNodes NONE = new BookedNodes(List.of());

  private final List<Booking> bookings;
  private final List<BookingId> ids;

  private BookedNodes(List<Booking> bookings) {
    this.bookings = bookings;
    ids = bookings.stream().map(Booking::id).toList();
  }

  public static BookedNodes of(List<Booking> bookings) {
    return bookings.isEmpty() ? NONE : new BookedNodes(List.copyOf(bookings));
  }

  public List<Booking> bookings() {
    return bookings;
  }

  public boolean none() {
    return bookings.isEmpty();
  }

  public boolean has(NodeId node) {
    for (Booking booking : bookings) {
      if (booking.holds(node)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the bookings without one of them. */
  public BookedNodes without(Booking one) {
    return of(bookings.stream().filter(booking -> !booking.id().equals(one.id())).toList());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof BookedNodes its && ids.equals(its.ids);
  }

  @Override
  public int hashCode() {
    return ids.hashCode();
  }

  @Override
  public String toString() {
    return ids.toString();
  }
}
