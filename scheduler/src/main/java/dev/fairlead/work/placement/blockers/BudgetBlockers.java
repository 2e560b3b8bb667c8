package dev.fairlead.work.placement.blockers;

import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Blocker.Scope;
import dev.fairlead.work.explanation.Reason;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Explains how a budget holds a job back. */
public final class BudgetBlockers {
  private static final BigInteger HOUR = BigInteger.valueOf(Duration.ofHours(1).toMillis());
  private static final int MICRO_DIGITS = 6;

  private BudgetBlockers() {}

  /**
   * Reports the numbers of the period that lacks most.
   *
   * @param weight weight of a millisecond that the job reserves, in the unit of the budget
   * @param from when the job would start, in milliseconds since 1970
   * @param to when its reservation ends, in milliseconds since 1970
   */
  public static Blocker spent(BudgetState state, long weight, long from, long to) {
    Budget budget = state.budget();
    Scope scope = new Scope(Scope.Kind.JOB, "");
    if (budget.unreadable()) {
      return new Blocker(
          Reason.BUDGET_SPENT,
          scope,
          "budget " + budget.name() + " cannot be read, so none of its jobs starts",
          Collections.emptySortedMap(),
          "ask an administrator to repair the budget or update Fairlead");
    }
    BudgetState then = state.reserving(weight, from, to);
    BigInteger missing = state.missing(weight, from, to);
    for (long period : then.uses().keySet()) {
      BigInteger needed = then.use(period).reserved().subtract(state.use(period).reserved());
      BigInteger over = then.use(period).charged().subtract(budget.limit(period, from));
      if (needed.signum() > 0 && over.equals(missing)) {
        return spent(state, scope, new Need(period, needed, missing, weight, from));
      }
    }
    throw new IllegalArgumentException("budget " + budget.name() + " has enough");
  }

  private record Need(long period, BigInteger amount, BigInteger missing, long weight, long now) {}

  private static Blocker spent(BudgetState state, Scope scope, Need need) {
    Budget budget = state.budget();
    BudgetUnit unit = budget.unit();
    BudgetUse use = state.use(need.period());
    long renews = budget.period().end(need.period());
    String text =
        "budget %s: %s %s spent and %s reserved for running jobs of %s; the job reserves %s%s, %s too many; the budget renews at %s"
            .formatted(
                budget.name(),
                unit.text(use.spent()),
                unit.name(),
                unit.text(use.reserved()),
                unit.text(budget.limit(need.period(), need.now())),
                unit.text(need.amount()),
                hourly(unit, need.weight()),
                unit.text(need.missing()),
                Instant.ofEpochMilli(renews));
    return new Blocker(
        Reason.BUDGET_SPENT, scope, text, numbers(state, need), action(budget, need));
  }

  /**
   * For a budget of money, returns the hourly cost on the most expensive capacity that the job may
   * use.
   */
  private static String hourly(BudgetUnit unit, long weight) {
    return unit.money()
        ? ", at up to " + unit.text(BigInteger.valueOf(weight).multiply(HOUR)) + " an hour"
        : "";
  }

  private static String action(Budget budget, Need need) {
    String cheaper = budget.unit().money() ? " or cheaper capacity" : "";
    return need.amount().compareTo(budget.amount()) > 0
        ? ("the job reserves more than the budget of a whole period: set a shorter maxRuntime or"
                + " fewer GPUs%s, or ask for a larger budget")
            .formatted(cheaper)
        : "ask an owner of the tenant for a grant of %s %s, or set a shorter maxRuntime%s"
            .formatted(budget.unit().text(need.missing()), budget.unit().name(), cheaper);
  }

  private static SortedMap<String, Long> numbers(BudgetState state, Need need) {
    BudgetUnit unit = state.budget().unit();
    BudgetUse use = state.use(need.period());
    String in = unit.money() ? "Micros" : "MilliGpuMillis";
    SortedMap<String, Long> numbers = new TreeMap<>();
    numbers.put("spent" + in, number(unit, use.spent()));
    numbers.put("reserved" + in, number(unit, use.reserved()));
    numbers.put("limit" + in, number(unit, state.budget().limit(need.period(), need.now())));
    numbers.put("needed" + in, number(unit, need.amount()));
    numbers.put("missing" + in, number(unit, need.missing()));
    numbers.put("renewsAtEpochSeconds", state.budget().period().end(need.period()) / 1000);
    return numbers;
  }

  /** Returns the exact amount of GPU-hours, or millionths of the currency. */
  private static long number(BudgetUnit unit, BigInteger amount) {
    BigInteger number = unit.money() ? micros(unit.rounded(amount)) : amount;
    return number.min(BigInteger.valueOf(Long.MAX_VALUE)).longValueExact();
  }

  private static BigInteger micros(BigDecimal units) {
    return units.movePointRight(MICRO_DIGITS).toBigIntegerExact();
  }
}
