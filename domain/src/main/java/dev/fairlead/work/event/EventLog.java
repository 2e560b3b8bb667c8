package dev.fairlead.work.event;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Reads stored facts. Facts are written by the stores, in the transaction of the change that they
 * describe.
 */
public interface EventLog {
  /** The next events in delivery order, at most {@code limit}, empty when none is complete yet. */
  List<EventRecord> after(EventPosition position, int limit);

  /**
   * Events that match the filter, at most {@code limit}, among the next {@code most} events of all
   * tenants: fewer, possibly none, if many others lie between.
   */
  EventSlice find(EventFilter filter, EventPosition after, int limit, int most);

  /** Events of one subject in order, newer than the position. */
  List<EventRecord> of(TenantId tenant, IdKind subject, UUID id, EventPosition after, int limit);

  /** The oldest retained position, empty without events. */
  Optional<EventPosition> oldest();

  /**
   * The newest event that was removed for its age: every event behind it is in the log. START when
   * none was removed.
   */
  EventPosition floor();

  /**
   * The first complete event in delivery order at this time or later. The result is empty if there
   * is no event. A reader then starts at a {@link #head} that it read before.
   */
  Optional<EventPosition> firstSince(Instant time);

  /** The newest position that is complete. A new reader that needs no history starts here. */
  EventPosition head();
}
