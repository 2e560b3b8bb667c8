package dev.fairlead.care.reservation;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.window.Closing;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.people.tenant.ProjectId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that are reserved for a project or for maintenance during a period. An advance reservation
 * is created and cancelled, and never changed. A node is in at most one advance reservation at any
 * time.
 *
 * @param owner project that may use the nodes, or null for maintenance
 * @param end end of the period, exclusive
 * @param leftoverPolicy policy for work of others that still runs at the start: EVICT or FINISH
 * @param reason human-readable text, may be empty
 * @param nodes at least one, by id
 * @param actor name of the user who created the advance reservation
 */
@RecordBuilder
public record AdvanceReservation(
    AdvanceReservationId id,
    String name,
    @Nullable AdvanceReservationOwner owner,
    Instant start,
    Instant end,
    LeftoverPolicy leftoverPolicy,
    String reason,
    List<BookedNode> nodes,
    String actor,
    Instant createdAt) {
  /** Maximum number of advance reservations that have not ended. */
  public static final int MOST_OPEN = 200;

  /** Maximum nodes of an advance reservation. */
  public static final int MOST_NODES = 1000;

  /** Longest period, and maximum time from now to its start. */
  public static final Duration LONGEST = Duration.ofDays(366);

  /** Longer than any time to the start, so that work that may finish never starts before it. */
  private static final Duration WHOLE_LEAD = LONGEST.multipliedBy(2);

  public AdvanceReservation {
    nodes = nodes.stream().sorted(Comparator.comparing(BookedNode::id)).toList();
  }

  /** Returns whether the node is one of the advance reservation's. */
  public boolean holds(NodeId node) {
    int low = 0;
    int high = nodes.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = nodes.get(middle).id().compareTo(node);
      if (order == 0) {
        return true;
      }
      low = order < 0 ? middle + 1 : low;
      high = order < 0 ? high : middle - 1;
    }
    return false;
  }

  public AdvanceReservationPurpose purpose() {
    return owner == null
        ? AdvanceReservationPurpose.MAINTENANCE
        : AdvanceReservationPurpose.PROJECT;
  }

  /** Returns whether jobs of the project may use the nodes at any time. */
  public boolean serves(ProjectId project) {
    return owner != null && owner.project().equals(project);
  }

  /** Returns whether the period includes the instant. */
  public boolean current(Instant now) {
    return !now.isBefore(start) && now.isBefore(end);
  }

  public boolean ended(Instant now) {
    return !now.isBefore(end);
  }

  /** Returns whether the periods share an instant. */
  public boolean meets(Instant from, Instant until) {
    return start.isBefore(until) && from.isBefore(end);
  }

  /**
   * Returns whether a job of another project may start on the nodes, because it leaves before the
   * start or the advance reservation has ended.
   *
   * @param ends latest end of the job, or null for unknown
   * @param leaves earliest time when the job may be stopped, or null for never
   */
  public boolean admit(Instant at, @Nullable Instant ends, @Nullable Instant leaves) {
    return ended(at)
        || at.isBefore(start)
            && new Closing(start, WHOLE_LEAD, leftoverPolicy, Duration.ZERO)
                .admit(at, ends, leaves);
  }

  /** Next time when other jobs may start or must leave, or null for never. */
  public @Nullable Instant nextChange(Instant now) {
    return now.isBefore(start) ? start : ended(now) ? null : end;
  }
}
