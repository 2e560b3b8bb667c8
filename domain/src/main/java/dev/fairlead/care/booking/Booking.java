package dev.fairlead.care.booking;

import dev.fairlead.fleet.node.Closing;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.Overrun;
import dev.fairlead.people.tenant.ProjectId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Nodes reserved for a project, or for maintenance, for a period. It never changes: it is made, and
 * it is cancelled. No node is in two bookings at one time.
 *
 * @param owner its project; null for maintenance
 * @param end first instant after it
 * @param overrun what becomes of work of others that still runs at the start: EVICT or FINISH
 * @param reason why, for people; may be empty
 * @param nodes at least one
 * @param actor its maker
 */
public record Booking(
    BookingId id,
    String name,
    @Nullable BookingOwner owner,
    Instant start,
    Instant end,
    Overrun overrun,
    String reason,
    SortedMap<NodeId, BookedNode> nodes,
    String actor,
    Instant createdAt) {
  /** Most that have not ended. */
  public static final int MOST_OPEN = 200;

  /** Most nodes of one. */
  public static final int MOST_NODES = 1000;

  /** Longest time of one, and longest time until it begins. */
  public static final Duration LONGEST = Duration.ofDays(366);

  /** Longer than any time until its start: with FINISH, no other job starts before it at all. */
  private static final Duration WHOLE_LEAD = LONGEST.multipliedBy(2);

  public Booking {
    nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
  }

  public BookingPurpose purpose() {
    return owner == null ? BookingPurpose.MAINTENANCE : BookingPurpose.PROJECT;
  }

  /** Whether jobs of the project may use its nodes at any time. */
  public boolean serves(ProjectId project) {
    return owner != null && owner.project().equals(project);
  }

  /** Whether it has begun and not ended. */
  public boolean current(Instant now) {
    return !now.isBefore(start) && now.isBefore(end);
  }

  public boolean ended(Instant now) {
    return !now.isBefore(end);
  }

  /** Whether they share an instant. */
  public boolean meets(Instant from, Instant until) {
    return start.isBefore(until) && from.isBefore(end);
  }

  /**
   * Whether a job that it does not serve may start on its nodes then: it leaves before the start,
   * or the booking is over.
   *
   * @param ends when the job has ended at the latest, null for unknown
   * @param leaves when it may be stopped at the earliest, null for never
   */
  public boolean admit(Instant at, @Nullable Instant ends, @Nullable Instant leaves) {
    return ended(at)
        || at.isBefore(start)
            && new Closing(start, WHOLE_LEAD, overrun, Duration.ZERO).admit(at, ends, leaves);
  }

  /** Next time at which admission or eviction changes; null for never. */
  public @Nullable Instant nextChange(Instant now) {
    return now.isBefore(start) ? start : ended(now) ? null : end;
  }
}
