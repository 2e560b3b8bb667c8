package dev.fairlead.money.budget;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A budget and its charges.
 *
 * @param uses uses by the start of their periods
 */
public record BudgetState(Budget budget, SortedMap<Long, BudgetUse> uses) {
  public BudgetState {
    uses = Collections.unmodifiableSortedMap(new TreeMap<>(uses));
  }

  /** Returns the usage of one period. */
  public BudgetUse use(long periodMillis) {
    return uses.getOrDefault(periodMillis, BudgetUse.NOTHING);
  }

  /**
   * Returns the shortage of a reservation in the period that lacks most, null if the reservation is
   * possible.
   *
   * @param weight weight of a millisecond, in the unit of the budget
   */
  public BudgetBook.@Nullable Shortfall shortfall(long weight, long fromMillis, long toMillis) {
    return budget.closes() && weight > 0
        ? reserving(weight, fromMillis, toMillis).shortfall(this, fromMillis)
        : null;
  }

  /**
   * Returns the largest shortfall of the reservations that were added since another state, with the
   * grants that are valid now.
   */
  BudgetBook.@Nullable Shortfall shortfall(BudgetState before, long nowMillis) {
    BudgetBook.Shortfall most = null;
    if (!budget.closes()) {
      return most;
    }
    for (Map.Entry<Long, BudgetUse> use : uses.entrySet()) {
      BigInteger charged = use.getValue().charged();
      BigInteger more = charged.subtract(before.use(use.getKey()).charged());
      if (more.signum() > 0) {
        BigInteger over = charged.subtract(budget.limit(use.getKey(), nowMillis));
        BigInteger missing = budget.unreadable() ? more : over;
        if (missing.signum() > 0 && (most == null || missing.compareTo(most.missing()) > 0)) {
          most = new BudgetBook.Shortfall(before, use.getKey(), more, missing);
        }
      }
    }
    return most;
  }

  /**
   * The largest charge beyond a limit in the current period or a later period, 0 if no limit is
   * exceeded.
   */
  public BigInteger over(long nowMillis) {
    BigInteger most = BigInteger.ZERO;
    for (Map.Entry<Long, BudgetUse> use :
        uses.tailMap(budget.period().begin(nowMillis)).entrySet()) {
      BigInteger limit = budget.limit(use.getKey(), nowMillis);
      most = most.max(use.getValue().charged().subtract(limit));
    }
    return most;
  }

  private static BigInteger amount(long weight, long millis) {
    return BigInteger.valueOf(weight).multiply(BigInteger.valueOf(millis));
  }

  BudgetState with(BudgetCharge charge) {
    return reserving(charge.reserved(budget.period()));
  }

  /** The state without the amount of a reservation. */
  BudgetState without(BudgetCharge charge) {
    SortedMap<Long, BigInteger> back = charge.reserved(budget.period());
    back.replaceAll((_, amount) -> amount.negate());
    return reserving(back);
  }

  private BudgetState reserving(SortedMap<Long, BigInteger> amounts) {
    SortedMap<Long, BudgetUse> next = new TreeMap<>(uses);
    amounts.forEach((begin, amount) -> next.put(begin, use(begin).reserving(amount)));
    return new BudgetState(budget, next);
  }

  public BudgetState reserving(long weight, long fromMillis, long toMillis) {
    SortedMap<Long, BudgetUse> next = new TreeMap<>(uses);
    budget
        .period()
        .split(fromMillis, toMillis)
        .forEach((begin, millis) -> next.put(begin, use(begin).reserving(amount(weight, millis))));
    return new BudgetState(budget, next);
  }

  /** The state with more usage. */
  BudgetState spending(BudgetBook.Used used, BudgetPrices prices) {
    SortedMap<Long, BudgetUse> next = new TreeMap<>(uses);
    budget
        .period()
        .split(used.fromMillis(), used.toMillis())
        .forEach((begin, millis) -> {
          long from = Math.max(begin, used.fromMillis());
          BudgetSpent spent = prices.spent(budget.unit(), used, from, from + millis);
          next.put(begin, use(begin).spending(spent));
        });
    return new BudgetState(budget, next);
  }

  /** Thresholds of the period that are reached and were not announced, rising. */
  public List<Integer> due(long nowMillis) {
    long begin = budget.period().begin(nowMillis);
    BigInteger limit = budget.limit(begin, nowMillis);
    BudgetUse use = use(begin);
    List<Integer> due = new ArrayList<>();
    for (int percent : budget.alerts()) {
      BigInteger charged = use.charged();
      boolean reached = charged.signum() > 0 && charged.compareTo(Budget.part(limit, percent)) >= 0;
      if (reached && percent > use.alerted()) {
        due.add(percent);
      }
    }
    return due;
  }

  /** Returns the state with these thresholds of the period announced. */
  BudgetState alerted(long nowMillis, int percent) {
    long begin = budget.period().begin(nowMillis);
    SortedMap<Long, BudgetUse> next = new TreeMap<>(uses);
    next.put(begin, use(begin).alerted(percent));
    return new BudgetState(budget, next);
  }
}
