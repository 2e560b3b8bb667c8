package dev.fairlead.money.budget;

import java.math.BigInteger;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Reservation of an attempt.
 *
 * @param milli thousandths of GPUs
 * @param weight of a millisecond in the unit of the budget: of GPU-hours the same, of money times
 *     the price
 * @param sinceMillis start, in milliseconds since 1970
 * @param untilMillis until when. Moved on while the attempt lasts longer
 * @param pricedMillis start of the present weight, later than {@code sinceMillis} if the weight was
 *     another before
 * @param passed reserved amount of earlier time, by the start of periods
 * @param exhaustedMillis when an hour was renewed that the budget did not have and does not let
 *     run, 0 for none
 */
public record BudgetCharge(
    UUID attempt,
    BudgetId budget,
    long milli,
    long weight,
    long sinceMillis,
    long untilMillis,
    long pricedMillis,
    SortedMap<Long, BigInteger> passed,
    long exhaustedMillis) {
  public BudgetCharge {
    passed = Collections.unmodifiableSortedMap(new TreeMap<>(passed));
  }

  /** Of one weight. */
  public BudgetCharge(
      UUID attempt, BudgetId budget, long milli, long weight, long sinceMillis, long untilMillis) {
    this(
        attempt,
        budget,
        milli,
        weight,
        sinceMillis,
        untilMillis,
        sinceMillis,
        Collections.emptySortedMap(),
        0);
  }

  /** The same, exhausted since then, or not. */
  BudgetCharge exhausted(long millis) {
    return new BudgetCharge(
        attempt, budget, milli, weight, sinceMillis, untilMillis, pricedMillis, passed, millis);
  }

  /** The amount up to then, which no longer changes. */
  long passedMillis(BudgetUnit unit, long nowMillis) {
    return unit.money() ? Math.clamp(nowMillis, pricedMillis, untilMillis) : pricedMillis;
  }

  /** With another weight from a moment on. */
  BudgetCharge from(long millis, long other, BudgetPeriod period) {
    if (other == weight) {
      return this;
    }
    return new BudgetCharge(
        attempt,
        budget,
        milli,
        other,
        sinceMillis,
        untilMillis,
        millis,
        reserved(period, millis),
        exhaustedMillis);
  }

  BudgetCharge of(long more, long until) {
    return new BudgetCharge(
        attempt, budget, more, weight, sinceMillis, until, pricedMillis, passed, exhaustedMillis);
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
