package dev.fairlead.work.schedule;

import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a schedule.
 *
 * @param document name of its document
 * @param decided end of the decided time: all instants up to it are decided
 * @param nextInstant first instant after it, or null if none
 * @param nextAt next due time in the loop, or null without a next instant
 * @param failures consecutive failed tries of the next instant
 * @param decisions number of decisions so far
 */
@RecordBuilder
public record ScheduleState(
    ScheduleId id,
    TenantId tenant,
    String document,
    boolean suspended,
    Instant decided,
    @Nullable Instant nextInstant,
    @Nullable Instant nextAt,
    int failures,
    long decisions)
    implements ScheduleStateBuilder.With {
  /** A schedule that begins at that time. */
  public static ScheduleState first(
      ScheduleId id, TenantId tenant, String document, Instant begin) {
    return ScheduleStateBuilder.builder()
        .id(id)
        .tenant(tenant)
        .document(document)
        .suspended(false)
        .decided(begin)
        .nextInstant(null)
        .nextAt(null)
        .failures(0)
        .decisions(0)
        .build();
  }

  /** Returns the state with the next instant, which is due at that time. */
  public ScheduleState next(@Nullable Instant instant, @Nullable Instant at) {
    return with().nextInstant(instant).nextAt(at).build();
  }

  /** Returns the state after a decision about all instants up to this instant. */
  public ScheduleState decided(Instant until) {
    return with().decided(until).failures(0).decisions(decisions + 1).build();
  }

  /** Returns the state of a schedule that begins at that time. Earlier instants do not count. */
  public ScheduleState from(Instant begin) {
    return with().decided(begin).failures(0).build();
  }

  /** Returns the state with or without a suspension. */
  public ScheduleState suspended(boolean whether) {
    return with().suspended(whether).failures(0).build();
  }

  /** Returns the state after one more failed try. The next try is at that time. */
  public ScheduleState failed(Instant again) {
    return with().nextAt(again).failures(failures + 1).build();
  }
}
