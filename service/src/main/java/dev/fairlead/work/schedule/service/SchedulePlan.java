package dev.fairlead.work.schedule.service;

import dev.fairlead.work.schedule.ScheduleState;
import java.time.Instant;

/** When a schedule is looked at. */
final class SchedulePlan {
  private SchedulePlan() {}

  /**
   * The state with the next instant after the decided ones. A schedule that is late is looked at
   * after those that wait, so that its backlog delays no other.
   */
  static ScheduleState planned(ScheduleState state, ScheduleTimes times, Instant now) {
    Instant next = times.next(state.decided()).orElse(null);
    if (next == null) {
      return state.next(null, null);
    }
    Instant at = next.plus(times.delay(state.document()));
    return state.next(next, at.isBefore(now) ? now : at);
  }
}
