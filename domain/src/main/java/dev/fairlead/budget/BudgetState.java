package dev.fairlead.budget;

import dev.fairlead.resources.Saturating;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A budget and what is charged to it.
 *
 * @param uses by the begin of their periods
 */
public record BudgetState(Budget budget, SortedMap<Long, BudgetUse> uses) {
  public BudgetState {
    uses = Collections.unmodifiableSortedMap(new TreeMap<>(uses));
  }

  /** Of one period. */
  public BudgetUse use(long periodMillis) {
    return uses.getOrDefault(periodMillis, BudgetUse.NOTHING);
  }

  /**
   * How much there is too little for a reservation, in the period that lacks most; 0 when it may be
   * made.
   */
  public long missing(long milli, long fromMillis, long toMillis) {
    return missing(milli, fromMillis, fromMillis, toMillis);
  }

  /** The same for a reservation that begins later than now, with the grants that are valid now. */
  long missing(long milli, long nowMillis, long fromMillis, long toMillis) {
    if (!budget.closes() || milli == 0) {
      return 0;
    }
    long most = 0;
    for (Map.Entry<Long, Long> part : budget.period().split(fromMillis, toMillis).entrySet()) {
      long need = Saturating.times(milli, part.getValue());
      long wanted = Saturating.plus(use(part.getKey()).charged(), need);
      boolean unreadable = budget.mode() == Budget.Mode.UNREADABLE;
      long limit = budget.limit(part.getKey(), nowMillis);
      most = Math.max(most, unreadable ? need : wanted - limit);
    }
    return most;
  }

  /** With a reservation; a negative amount takes it back. */
  public BudgetState reserving(long milli, long fromMillis, long toMillis) {
    SortedMap<Long, BudgetUse> next = new TreeMap<>(uses);
    budget
        .period()
        .split(fromMillis, toMillis)
        .forEach((begin, millis) ->
            next.put(begin, use(begin).reserving(Saturating.times(milli, millis))));
    return new BudgetState(budget, next);
  }

  /** With what was used. */
  BudgetState spending(long milli, long fromMillis, long toMillis) {
    SortedMap<Long, BudgetUse> next = new TreeMap<>(uses);
    budget
        .period()
        .split(fromMillis, toMillis)
        .forEach((begin, millis) ->
            next.put(begin, use(begin).spending(Saturating.times(milli, millis))));
    return new BudgetState(budget, next);
  }

  /** Thresholds of the period that are reached and were not announced, rising. */
  public List<Integer> due(long nowMillis) {
    long begin = budget.period().begin(nowMillis);
    long limit = budget.limit(begin, nowMillis);
    BudgetUse use = use(begin);
    List<Integer> due = new ArrayList<>();
    for (int percent : budget.alerts()) {
      boolean reached = use.charged() > 0 && use.charged() >= Budget.part(limit, percent);
      if (reached && percent > use.alerted()) {
        due.add(percent);
      }
    }
    return due;
  }

  /** With these thresholds of the period announced. */
  BudgetState alerted(long nowMillis, int percent) {
    long begin = budget.period().begin(nowMillis);
    SortedMap<Long, BudgetUse> next = new TreeMap<>(uses);
    next.put(begin, use(begin).alerted(percent));
    return new BudgetState(budget, next);
  }
}
