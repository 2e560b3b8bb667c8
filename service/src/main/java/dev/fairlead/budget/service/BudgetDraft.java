package dev.fairlead.budget.service;

import dev.fairlead.budget.Budget;
import dev.fairlead.budget.BudgetPeriod;
import dev.fairlead.budget.BudgetUnit;
import java.math.BigInteger;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A budget as its owner wants it.
 *
 * @param project name, null for all
 * @param queue name, null for all
 * @param user null for all
 * @param amount in its unit
 */
public record BudgetDraft(
    String name,
    @Nullable String project,
    @Nullable String queue,
    @Nullable String user,
    BudgetUnit unit,
    BigInteger amount,
    BudgetPeriod period,
    Budget.Mode mode,
    List<Integer> alerts) {
  public BudgetDraft {
    alerts = List.copyOf(alerts);
  }

  /** A budget as it is, without scope and alerts. */
  public static BudgetDraft of(Budget budget) {
    return new BudgetDraft(
        budget.name(),
        null,
        null,
        null,
        budget.unit(),
        budget.amount(),
        budget.period(),
        budget.mode(),
        List.of());
  }

  /** With other terms. */
  public BudgetDraft with(BigInteger otherAmount, Budget.Mode otherMode, List<Integer> others) {
    return new BudgetDraft(
        name, project, queue, user, unit, otherAmount, period, otherMode, others);
  }
}
