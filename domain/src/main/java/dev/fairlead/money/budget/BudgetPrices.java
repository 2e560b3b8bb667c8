package dev.fairlead.money.budget;

import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceSpans;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Cost of GPUs in the unit of a budget. The price at the start of an hour counts for the hour, as
 * in statements.
 */
public record BudgetPrices(PriceBook book) {
  /** Prices of budgets in GPU-hours, which need none. */
  public static final BudgetPrices NONE = new BudgetPrices(PriceBook.EMPTY);

  /** Splits a time into spans without a relevant price change. */
  public PriceSpans spans(BudgetUnit unit, long fromMillis, long toMillis) {
    Instant from = PriceSpans.begin(fromMillis);
    Instant to = PriceSpans.end(Math.max(fromMillis, toMillis));
    return new PriceSpans(unit.money() ? book : PriceBook.EMPTY, from, to);
  }

  /**
   * Cost of a millisecond at the highest known price of a time, in the unit. Later prices may be
   * higher.
   *
   * @param held thousandths of GPUs by place
   * @param milli reserved thousandths of GPUs. Members without a place count at the most expensive
   *     held one
   */
  long weight(
      BudgetUnit unit, Map<BudgetPlace, Long> held, long milli, long fromMillis, long toMillis) {
    if (!unit.money()) {
      return milli;
    }
    PriceSpans spans = spans(unit, fromMillis, toMillis);
    long sum = 0;
    long rest = milli;
    long dearest = 0;
    for (Map.Entry<BudgetPlace, Long> part : held.entrySet()) {
      long micros = most(unit, spans, part.getKey(), toMillis);
      dearest = Math.max(dearest, micros);
      sum = Saturating.plus(sum, Saturating.times(micros, part.getValue()));
      rest -= part.getValue();
    }
    return Saturating.plus(sum, Saturating.times(dearest, Math.max(0, rest)));
  }

  /** The highest price of a capacity part, in millionths, 0 without a price in the currency. */
  public static long most(BudgetUnit unit, PriceSpans spans, BudgetPlace place, long toMillis) {
    List<Long> begins = spans.begins();
    long most = 0;
    for (int i = 0; i < begins.size() && begins.get(i) < toMillis; i++) {
      most = Math.max(most, micros(unit, spans, i, place));
    }
    return most;
  }

  /** Below 0 without a price in the currency. */
  private static long micros(BudgetUnit unit, PriceSpans spans, int span, BudgetPlace place) {
    Price price = spans.run(place.cluster(), place.pool(), place.flavor(), span).price();
    Money each = price == null ? null : price.perUnit();
    return each == null || !each.currency().equals(unit.currency()) ? -1 : each.micros();
  }

  /**
   * Usage in one span.
   *
   * @param milliMillis thousandths of a GPU times milliseconds
   */
  public static BudgetSpent spent(
      BudgetUnit unit, PriceSpans spans, int span, BudgetPlace place, BigInteger milliMillis) {
    if (!unit.money()) {
      return new BudgetSpent(milliMillis, BigInteger.ZERO);
    }
    long micros = micros(unit, spans, span, place);
    return micros < 0
        ? new BudgetSpent(BigInteger.ZERO, milliMillis)
        : new BudgetSpent(milliMillis.multiply(BigInteger.valueOf(micros)), BigInteger.ZERO);
  }

  /** Usage in a part of the time. */
  BudgetSpent spent(BudgetUnit unit, BudgetBook.Used use, long fromMillis, long toMillis) {
    PriceSpans spans = spans(unit, fromMillis, toMillis);
    List<Long> begins = spans.begins();
    BudgetSpent sum = BudgetSpent.NOTHING;
    for (int i = 0; i < begins.size(); i++) {
      long from = Math.max(fromMillis, begins.get(i));
      long to = i + 1 < begins.size() ? Math.min(toMillis, begins.get(i + 1)) : toMillis;
      if (from < to) {
        BigInteger time = BigInteger.valueOf(use.milli()).multiply(BigInteger.valueOf(to - from));
        sum = sum.plus(spent(unit, spans, i, use.place(), time));
      }
    }
    return sum;
  }
}
