package dev.fairlead.money.budget.service;

import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetUnit;
import java.math.BigInteger;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A requested budget.
 *
 * @param project name, null for all
 * @param queue name, null for all
 * @param user null for all
 * @param label of the jobs, empty for all
 * @param amount in its unit
 */
public record BudgetDraft(
    String name,
    @Nullable String project,
    @Nullable String queue,
    @Nullable String user,
    SortedMap<String, String> label,
    BudgetUnit unit,
    BigInteger amount,
    BudgetPeriod period,
    Budget.Mode mode,
    BudgetExhaustedPolicy onExhausted,
    List<Integer> alerts) {
  public BudgetDraft {
    label = Collections.unmodifiableSortedMap(new TreeMap<>(label));
    alerts = List.copyOf(alerts);
  }

  /** The draft of an existing budget, without alerts, and of its scope only the label. */
  public static BudgetDraft of(Budget budget) {
    return new BudgetDraft(
        budget.name(),
        null,
        null,
        null,
        budget.scope().labels(),
        budget.unit(),
        budget.amount(),
        budget.period(),
        budget.mode(),
        budget.onExhausted(),
        List.of());
  }

  /** A copy with other terms. */
  public BudgetDraft with(
      BigInteger otherAmount,
      Budget.Mode otherMode,
      BudgetExhaustedPolicy policy,
      List<Integer> others) {
    return new BudgetDraft(
        name, project, queue, user, label, unit, otherAmount, period, otherMode, policy, others);
  }
}
