package dev.fairlead.money.budget;

import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Counters of a budget together with the rows that they count. Ended periods do not change.
 *
 * @param counted values of the counters
 * @param charges all reservations of the budget
 * @param beginMillis begin of the open period, in milliseconds since 1970
 * @param spent use of attempts without a reservation, according to their intervals of use
 */
public record BudgetRecount(
    BudgetState counted, List<BudgetCharge> charges, long beginMillis, BudgetSpent spent) {
  public BudgetRecount {
    charges = List.copyOf(charges);
  }

  /**
   * A counter that differs from its rows, in the unit of the budget.
   *
   * @param counter name of the counter, for example {@code spent from 2026-11-01T00:00:00Z}
   */
  public record Drift(BudgetId budget, String counter, BigInteger counted, BigInteger held) {}

  private BudgetUse held(long period, BudgetState reserved) {
    BudgetUse says = counted.use(period);
    return new BudgetUse(
        period == beginMillis ? spent : says.used(),
        reserved.use(period).reserved(),
        says.alerted());
  }

  /** Corrections to the counters of each period, by its start, empty without differences. */
  public SortedMap<Long, BudgetUse> missing() {
    BudgetState reserved = new BudgetState(counted.budget(), Collections.emptySortedMap());
    for (BudgetCharge charge : charges) {
      reserved = reserved.with(charge);
    }
    SortedSet<Long> periods = new TreeSet<>(counted.uses().tailMap(beginMillis).keySet());
    periods.addAll(reserved.uses().tailMap(beginMillis).keySet());
    periods.add(beginMillis);
    SortedMap<Long, BudgetUse> missing = new TreeMap<>();
    for (long period : periods) {
      BudgetUse held = held(period, reserved);
      if (!held.equals(counted.use(period))) {
        missing.put(period, held.beyond(counted.use(period)));
      }
    }
    return missing;
  }

  /** The counters that are missing something, or have too much. */
  public List<Drift> drifts() {
    List<Drift> drifts = new ArrayList<>();
    missing()
        .forEach((period, more) -> {
          BudgetUse says = counted.use(period);
          String from = " from " + Instant.ofEpochMilli(period);
          drifts.add(drift("spent" + from, says.spent(), more.spent()));
          BigInteger unpriced = says.used().unpriced();
          drifts.add(drift("unpriced" + from, unpriced, more.used().unpriced()));
          drifts.add(drift("reserved" + from, says.reserved(), more.reserved()));
        });
    drifts.removeIf(drift -> drift.counted().equals(drift.held()));
    return drifts;
  }

  private Drift drift(String counter, BigInteger says, BigInteger more) {
    return new Drift(counted.budget().id(), counter, says, says.add(more));
  }
}
