package dev.fairlead.care.booking.service;

import dev.fairlead.care.booking.BookedNode;
import dev.fairlead.care.booking.Booking;
import dev.fairlead.care.booking.BookingOwner;
import dev.fairlead.care.booking.BookingPurpose;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.Overrun;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Nodes that are reserved for a project or for maintenance during a period. */
@Schema(
    name = "BookingResponse",
    description = "Nodes that are reserved for a project or for maintenance during a period")
public record BookingView(
    @Schema(description = "Id of the booking") String id,
    @Schema(description = "Name, unique among bookings that have not ended") String name,
    @Schema(description = "Use of the nodes") BookingPurpose purpose,
    @Schema(description = "Name of the project's tenant, or null for maintenance")
        @Nullable String tenant,
    @Schema(description = "Name of the project, or null for maintenance") @Nullable String project,
    @Schema(description = "First instant of the period") Instant start,
    @Schema(description = "First instant after the period") Instant end,
    @Schema(description = "Position of the period relative to now") BookingState state,
    @Schema(description = "Policy for work of others that still runs at the start") Overrun overrun,
    @Schema(description = "Reason, may be empty") String reason,
    @Schema(description = "Name of the creator") String actor,
    @Schema(description = "Time of the creation") Instant createdAt,
    @Schema(description = "Number of nodes that are gone or out of service") int nodesMissing,
    @Schema(description = "Nodes by cluster, then name") List<NodeView> nodes) {
  public BookingView {
    nodes = List.copyOf(nodes);
  }

  /** Position of the period relative to now. */
  public enum BookingState {
    /** The start is in the future. */
    UPCOMING,
    /** The period has begun and not ended. */
    CURRENT,
    /** The period has ended. */
    ENDED;

    static BookingState of(Booking booking, Instant now) {
      return booking.ended(now) ? ENDED : booking.current(now) ? CURRENT : UPCOMING;
    }
  }

  /** A node of a booking in its present state. */
  @Schema(name = "BookedNode", description = "Node of a booking in its present state")
  public record NodeView(
      @Schema(description = "Id of the node") String id,
      @Schema(description = "Name of the node at the time of the booking") String name,
      @Schema(description = "Name of the cluster") String cluster,
      @Schema(description = "State, or null after the node left its cluster")
          @Nullable NodeState state) {
    static NodeView of(BookedNode node, String cluster, @Nullable NodeState state) {
      return new NodeView(node.id().text(), node.name(), cluster, state);
    }
  }

  /**
   * @param tenant name, or null for maintenance
   * @param nodes by cluster, then name
   */
  static BookingView of(
      Booking booking, @Nullable String tenant, List<NodeView> nodes, Instant now) {
    BookingOwner owner = booking.owner();
    return new BookingView(
        booking.id().text(),
        booking.name(),
        booking.purpose(),
        tenant,
        owner == null ? null : owner.name(),
        booking.start(),
        booking.end(),
        BookingState.of(booking, now),
        booking.overrun(),
        booking.reason(),
        booking.actor(),
        booking.createdAt(),
        (int) nodes.stream().filter(node -> node.state() != NodeState.ACTIVE).count(),
        nodes);
  }
}
