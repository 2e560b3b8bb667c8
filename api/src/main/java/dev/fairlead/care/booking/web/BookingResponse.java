package dev.fairlead.care.booking.web;

import dev.fairlead.care.booking.Booking;
import dev.fairlead.care.booking.BookingOwner;
import dev.fairlead.care.booking.BookingPurpose;
import dev.fairlead.care.booking.service.BookingView;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Overrun;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that are kept for a project, or for maintenance, from one time to another.
 *
 * @param tenant name of the project's tenant, null for maintenance
 * @param project its name, null for maintenance
 * @param end first instant after it
 * @param overrun what becomes of work of others that still runs at the start
 * @param actor its maker
 * @param nodesMissing how many of its nodes are gone or out of service
 */
record BookingResponse(
    String id,
    String name,
    BookingPurpose purpose,
    @Nullable String tenant,
    @Nullable String project,
    Instant start,
    Instant end,
    BookingView.BookingState state,
    Overrun overrun,
    String reason,
    String actor,
    Instant createdAt,
    int nodesMissing,
    List<Node> nodes) {
  /**
   * A node of a booking.
   *
   * @param cluster name of it
   * @param state null when it is gone from its cluster
   */
  @Schema(name = "BookedNode")
  record Node(String id, String name, String cluster, @Nullable NodeState state) {}

  static BookingResponse of(BookingView view) {
    Booking booking = view.booking();
    BookingOwner owner = booking.owner();
    return new BookingResponse(
        booking.id().text(),
        booking.name(),
        booking.purpose(),
        view.tenant(),
        owner == null ? null : owner.name(),
        booking.start(),
        booking.end(),
        view.state(),
        booking.overrun(),
        booking.reason(),
        booking.actor(),
        booking.createdAt(),
        view.missing(),
        view.nodes().stream()
            .map(n -> new Node(n.node().id().text(), n.node().name(), n.cluster(), n.state()))
            .toList());
  }
}
