package dev.fairlead.money.budget;

import java.time.Duration;

/**
 * Usage of a scope's jobs in closed hours, which no longer changes.
 *
 * @param fromMillis start of the period, in milliseconds since 1970
 * @param toMillis uses that ended before then are counted
 * @param used since the start, also by attempts that still hold GPUs
 */
public record ClosedUse(long fromMillis, long toMillis, BudgetSpent used) {
  /** No hours have been summed. */
  public static final ClosedUse NONE = new ClosedUse(0, 0, BudgetSpent.NOTHING);

  /** Maximum span of open hours whose ends are read while starts wait. */
  public static final Duration MOST_OPEN = Duration.ofHours(3);

  /** A new period without use. */
  public static ClosedUse upTo(long beginMillis, long closedMillis) {
    return new ClosedUse(beginMillis, Math.max(beginMillis, closedMillis), BudgetSpent.NOTHING);
  }

  /**
   * Returns whether more time has passed since the counted uses than may be read while starts wait.
   */
  public boolean lags(long nowMillis) {
    return nowMillis - toMillis > MOST_OPEN.toMillis();
  }
}
