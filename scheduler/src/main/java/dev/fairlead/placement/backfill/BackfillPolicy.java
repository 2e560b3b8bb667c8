package dev.fairlead.placement.backfill;

import dev.fairlead.job.PriorityClass;
import java.time.Duration;

/**
 * For whom places are kept.
 *
 * @param leastPriority jobs below it wait without a place
 * @param most places kept in one cycle, 0 = none
 * @param drainAfter how long a job waits before nodes are kept for it whose end nobody knows
 */
public record BackfillPolicy(int leastPriority, int most, Duration drainAfter) {
  public static final BackfillPolicy DEFAULT =
      new BackfillPolicy(PriorityClass.NORMAL.value(), 8, Duration.ofHours(1));
}
