package dev.fairlead.work.placement.backfill;

import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;

/**
 * Defines which jobs get a backfill reservation.
 *
 * @param leastPriority jobs below this priority get no reservation
 * @param most maximum number of reservations in one cycle, 0 = none
 * @param drainAfter how long a job waits before the scheduler drains nodes for it on which attempts
 *     have no known end
 */
public record BackfillPolicy(int leastPriority, int most, Duration drainAfter) {
  public static final BackfillPolicy DEFAULT =
      new BackfillPolicy(PriorityClass.NORMAL.value(), 8, Duration.ofHours(1));
}
