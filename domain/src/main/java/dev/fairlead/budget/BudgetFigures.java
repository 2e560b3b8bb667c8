package dev.fairlead.budget;

import dev.fairlead.resources.Saturating;
import java.math.BigInteger;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A budget in the period that is open, in thousandths of a GPU times milliseconds.
 *
 * @param limit amount and valid grants
 * @param spent used up to now, also by attempts that still run
 * @param reserved for these beyond what they have used
 * @param overdrawn charged beyond the amount and all grants of the period
 * @param runsOut when the limit is used up if use goes on as in the period so far; null when it
 *     lasts until the period ends
 */
public record BudgetFigures(
    Instant begin,
    Instant end,
    long limit,
    long spent,
    long reserved,
    long overdrawn,
    @Nullable Instant runsOut) {

  /**
   * @param running what attempts that hold GPUs have used in the period
   */
  public static BudgetFigures of(BudgetState state, long running, long nowMillis) {
    Budget budget = state.budget();
    long begin = budget.period().begin(nowMillis);
    long end = budget.period().end(nowMillis);
    BudgetUse use = state.use(begin);
    long used = Math.min(running, use.reserved());
    long spent = Saturating.plus(use.spent(), used);
    long limit = budget.limit(begin, nowMillis);
    return new BudgetFigures(
        Instant.ofEpochMilli(begin),
        Instant.ofEpochMilli(end),
        limit,
        spent,
        use.reserved() - used,
        Math.max(0, use.charged() - budget.everGranted(begin)),
        runsOut(spent, limit, new Span(begin, nowMillis, end)));
  }

  private record Span(long begin, long now, long end) {}

  /** At the average rate of the period so far. */
  private static @Nullable Instant runsOut(long spent, long limit, Span span) {
    if (spent >= limit) {
      return Instant.ofEpochMilli(span.now());
    }
    if (spent == 0) {
      return null;
    }
    BigInteger took = BigInteger.valueOf(span.now() - span.begin());
    BigInteger all = took.multiply(BigInteger.valueOf(limit)).divide(BigInteger.valueOf(spent));
    return all.compareTo(BigInteger.valueOf(span.end() - span.begin())) >= 0
        ? null
        : Instant.ofEpochMilli(span.begin() + all.longValueExact());
  }
}
