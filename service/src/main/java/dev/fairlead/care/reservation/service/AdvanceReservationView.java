package dev.fairlead.care.reservation.service;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.care.reservation.AdvanceReservationOwner;
import dev.fairlead.care.reservation.AdvanceReservationPurpose;
import dev.fairlead.care.reservation.BookedNode;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import io.soabase.recordbuilder.core.RecordBuilder;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Nodes that are reserved for a project or for maintenance during a period. */
@Schema(
    name = "AdvanceReservationResponse",
    description = "Nodes that are reserved for a project or for maintenance during a period")
@RecordBuilder
public record AdvanceReservationView(
    @Schema(description = "Id of the advance reservation") String id,
    @Schema(description = "Name, unique among advance reservations that have not ended")
        String name,
    @Schema(description = "Use of the nodes") AdvanceReservationPurpose purpose,
    @Schema(description = "Name of the project's tenant, or null for maintenance")
        @Nullable String tenant,
    @Schema(description = "Name of the project, or null for maintenance") @Nullable String project,
    @Schema(description = "Start of the period, inclusive") Instant start,
    @Schema(description = "End of the period, exclusive") Instant end,
    @Schema(description = "Whether the period is past, current or future")
        AdvanceReservationState state,
    @Schema(description = "Policy for other jobs that still run at the start")
        LeftoverPolicy leftoverPolicy,
    @Schema(description = "Reason, may be empty") String reason,
    @Schema(description = "Name of the creator") String actor,
    @Schema(description = "Time of the creation") Instant createdAt,
    @Schema(description = "Number of nodes that were deleted or are out of service")
        int nodesMissing,
    @Schema(description = "Nodes by cluster, then name") List<NodeView> nodes) {
  public AdvanceReservationView {
    nodes = List.copyOf(nodes);
  }

  /** Whether the period is past, current or future. */
  public enum AdvanceReservationState {
    /** The start is in the future. */
    UPCOMING,
    /** The period has begun and not ended. */
    CURRENT,
    /** The period has ended. */
    ENDED;

    static AdvanceReservationState of(AdvanceReservation advanceReservation, Instant now) {
      return advanceReservation.ended(now)
          ? ENDED
          : advanceReservation.current(now) ? CURRENT : UPCOMING;
    }
  }

  /** A node of an advance reservation in its current state. */
  @Schema(name = "BookedNode", description = "Node of an advance reservation in its current state")
  public record NodeView(
      @Schema(description = "Id of the node") String id,
      @Schema(description = "Name of the node when the advance reservation was created")
          String name,
      @Schema(description = "Name of the cluster") String cluster,
      @Schema(description = "State, or null after the node has left its cluster")
          @Nullable NodeState state) {
    static NodeView of(BookedNode node, String cluster, @Nullable NodeState state) {
      return new NodeView(node.id().text(), node.name(), cluster, state);
    }
  }

  /**
   * @param tenant name, or null for maintenance
   * @param nodes by cluster, then name
   */
  static AdvanceReservationView of(
      AdvanceReservation advanceReservation,
      @Nullable String tenant,
      List<NodeView> nodes,
      Instant now) {
    AdvanceReservationOwner owner = advanceReservation.owner();
    return AdvanceReservationViewBuilder.builder()
        .id(advanceReservation.id().text())
        .name(advanceReservation.name())
        .purpose(advanceReservation.purpose())
        .tenant(tenant)
        .project(owner == null ? null : owner.name())
        .start(advanceReservation.start())
        .end(advanceReservation.end())
        .state(AdvanceReservationState.of(advanceReservation, now))
        .leftoverPolicy(advanceReservation.leftoverPolicy())
        .reason(advanceReservation.reason())
        .actor(advanceReservation.actor())
        .createdAt(advanceReservation.createdAt())
        .nodesMissing((int) nodes.stream().filter(node -> node.state() != NodeState.ACTIVE).count())
        .nodes(nodes)
        .build();
  }
}
