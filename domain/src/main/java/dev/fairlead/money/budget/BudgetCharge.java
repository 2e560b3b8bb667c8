package dev.fairlead.money.budget;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigInteger;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Reservation of an attempt.
 *
 * @param milli thousandths of GPUs
 * @param weight weight of a millisecond in the unit of the budget: of GPU-hours the same, of money
 *     times the price
 * @param sinceMillis start, in milliseconds since 1970
 * @param untilMillis end of the reservation Moved on while the attempt lasts longer
 * @param pricedMillis start of the current weight, later than {@code sinceMillis} if the weight was
 *     another before
 * @param passed reserved amount of earlier time, by the start of periods
 * @param exhaustedMillis time when the renewal of an hour exceeded a budget that stops its jobs, 0
 *     for none
 */
@RecordBuilder
public record BudgetCharge(
    UUID attempt,
    BudgetId budget,
    long milli,
    long weight,
    long sinceMillis,
    long untilMillis,
    long pricedMillis,
    SortedMap<Long, BigInteger> passed,
    long exhaustedMillis)
    implements BudgetChargeBuilder.With {
  public BudgetCharge {
    passed = Collections.unmodifiableSortedMap(new TreeMap<>(passed));
  }

  /** Creates a charge with a single weight. */
  public static BudgetCharge single(
      UUID attempt, BudgetId budget, long milli, long weight, long sinceMillis, long untilMillis) {
    return BudgetChargeBuilder.builder()
        .attempt(attempt)
        .budget(budget)
        .milli(milli)
        .weight(weight)
        .sinceMillis(sinceMillis)
        .untilMillis(untilMillis)
        .pricedMillis(sinceMillis)
        .passed(Collections.emptySortedMap())
        .exhaustedMillis(0)
        .build();
  }

  /** Returns the charge with the time since which the budget is exhausted, or with none. */
  BudgetCharge exhausted(long millis) {
    return withExhaustedMillis(millis);
  }

  /** The amount up to then, which no longer changes. */
  long passedMillis(BudgetUnit unit, long nowMillis) {
    return unit.money() ? Math.clamp(nowMillis, pricedMillis, untilMillis) : pricedMillis;
  }

  /** Returns the charge with another weight from this time. */
  BudgetCharge from(long millis, long other, BudgetPeriod period) {
    if (other == weight) {
      return this;
    }
    return with().weight(other).pricedMillis(millis).passed(reserved(period, millis)).build();
  }

  BudgetCharge of(long more, long until) {
    return with().milli(more).untilMillis(until).build();
  }

  /** Reserved amount in the unit of the budget, by the start of each affected period. */
  SortedMap<Long, BigInteger> reserved(BudgetPeriod period) {
    return reserved(period, untilMillis);
  }

  private SortedMap<Long, BigInteger> reserved(BudgetPeriod period, long toMillis) {
    SortedMap<Long, BigInteger> sums = new TreeMap<>(passed);
    period
        .split(pricedMillis, toMillis)
        .forEach((begin, millis) ->
            sums.merge(
                begin,
                BigInteger.valueOf(weight).multiply(BigInteger.valueOf(millis)),
                BigInteger::add));
    return sums;
  }
}
