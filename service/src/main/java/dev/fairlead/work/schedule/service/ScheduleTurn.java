package dev.fairlead.work.schedule.service;

import dev.fairlead.work.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decisions about the due instants of a schedule, without side effects.
 *
 * @param missed number of the oldest due instants that are no longer submitted
 * @param missedUntil last missed instant, null if none
 * @param due the first instant that is submitted, or null if none. Missed ones are decided before
 */
record ScheduleTurn(int missed, @Nullable Instant missedUntil, @Nullable Instant due) {
  /**
   * Age up to which an instant is submitted without catch-up: a change of the lease holder takes
   * less time.
   */
  static final Duration GRACE = Duration.ofMinutes(5);

  /** Instants that one decision examines, more than {@link Schedule#MOST_CATCH_UP}. */
  static final int MOST = 10_000;

  /**
   * @param decided end of the decided time: all earlier instants are decided
   * @param now the current time without the delay of the schedule: later instants are not due
   */
  static ScheduleTurn of(Schedule schedule, ScheduleTimes times, Instant decided, Instant now) {
    List<Instant> due = new ArrayList<>();
    Optional<Instant> next = times.next(decided);
    while (next.isPresent() && !next.get().isAfter(now) && due.size() < MOST) {
      due.add(next.get());
      next = times.next(next.get());
    }
    int submitted =
        switch (schedule.catchUp()) {
          case NONE -> recent(due, now.minus(GRACE));
          case LAST -> Math.min(1, due.size());
          case ALL -> Math.min(schedule.catchUpMost(), due.size());
        };
    int missed = due.size() - submitted;
    return new ScheduleTurn(
        missed, missed == 0 ? null : due.get(missed - 1), submitted == 0 ? null : due.get(missed));
  }

  private static int recent(List<Instant> due, Instant since) {
    return (int) due.stream().filter(each -> !each.isBefore(since)).count();
  }
}
