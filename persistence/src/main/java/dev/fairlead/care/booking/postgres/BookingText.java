package dev.fairlead.care.booking.postgres;

import dev.fairlead.care.booking.BookedNode;
import dev.fairlead.care.booking.Booking;
import dev.fairlead.care.booking.BookingId;
import dev.fairlead.care.booking.BookingOwner;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.Overrun;
import dev.fairlead.kernel.postgres.Json;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A booking as its column has it. */
record BookingText(
    String name,
    @Nullable BookingOwner owner,
    Instant start,
    Instant end,
    Overrun overrun,
    String reason,
    List<BookedNode> nodes,
    String actor,
    Instant createdAt) {
  static String of(Booking booking) {
    return Json.write(
        new BookingText(
            booking.name(),
            booking.owner(),
            booking.start(),
            booking.end(),
            booking.overrun(),
            booking.reason(),
            List.copyOf(booking.nodes().values()),
            booking.actor(),
            booking.createdAt()));
  }

  static Booking read(UUID id, String text) {
    BookingText row = Json.read(text, BookingText.class);
    SortedMap<NodeId, BookedNode> nodes = new TreeMap<>();
    row.nodes.forEach(node -> nodes.put(node.id(), node));
    return new Booking(
        new BookingId(id),
        row.name,
        row.owner,
        row.start,
        row.end,
        row.overrun,
        row.reason,
        nodes,
        row.actor,
        row.createdAt);
  }
}
