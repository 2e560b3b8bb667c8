package dev.fairlead.money.budget;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigInteger;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A budget in the period that is open, in its unit.
 *
 * @param limit amount and valid grants
 * @param spent used up to now, also by attempts that still run
 * @param reserved for these in addition to their usage
 * @param unpriced thousandths of a GPU times milliseconds that attempts used which have ended, and
 *     that have no price in the currency of the budget. Not included in any other figure
 * @param overdrawn charged beyond the amount and all grants of the period
 * @param runsOut time when the limit is exhausted at the period's average rate, null if it lasts
 *     until the period ends
 */
@RecordBuilder
public record BudgetFigures(
    Instant begin,
    Instant end,
    BigInteger limit,
    BigInteger spent,
    BigInteger reserved,
    BigInteger unpriced,
    BigInteger overdrawn,
    @Nullable Instant runsOut) {

  /**
   * @param running use in the period by attempts that hold GPUs
   */
  public static BudgetFigures of(BudgetState state, BigInteger running, long nowMillis) {
    Budget budget = state.budget();
    long begin = budget.period().begin(nowMillis);
    long end = budget.period().end(nowMillis);
    BudgetUse use = state.use(begin);
    BigInteger used = running.min(use.reserved());
    BigInteger spent = use.spent().add(used);
    BigInteger limit = budget.limit(begin, nowMillis);
    return BudgetFiguresBuilder.builder()
        .begin(Instant.ofEpochMilli(begin))
        .end(Instant.ofEpochMilli(end))
        .limit(limit)
        .spent(spent)
        .reserved(use.reserved().subtract(used))
        .unpriced(use.used().unpriced())
        .overdrawn(use.charged().subtract(budget.everGranted(begin)).max(BigInteger.ZERO))
        .runsOut(runsOut(spent, limit, new Span(begin, nowMillis, end)))
        .build();
  }

  private record Span(long begin, long now, long end) {}

  /** Assumes the average rate of the period so far. */
  private static @Nullable Instant runsOut(BigInteger spent, BigInteger limit, Span span) {
    if (spent.compareTo(limit) >= 0) {
      return Instant.ofEpochMilli(span.now());
    }
    if (spent.signum() == 0) {
      return null;
    }
    BigInteger took = BigInteger.valueOf(span.now() - span.begin());
    BigInteger all = took.multiply(limit).divide(spent);
    return all.compareTo(BigInteger.valueOf(span.end() - span.begin())) >= 0
        ? null
        : Instant.ofEpochMilli(span.begin() + all.longValueExact());
  }
}
