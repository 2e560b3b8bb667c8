package dev.fairlead.budget.service;

import dev.fairlead.budget.Budget;
import dev.fairlead.budget.BudgetPeriod;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A budget as its owner wants it.
 *
 * @param project name, null for all
 * @param queue name, null for all
 * @param user null for all
 * @param amount thousandths of a GPU times milliseconds
 */
public record BudgetDraft(
    String name,
    @Nullable String project,
    @Nullable String queue,
    @Nullable String user,
    long amount,
    BudgetPeriod period,
    Budget.Mode mode,
    List<Integer> alerts) {
  public BudgetDraft {
    alerts = List.copyOf(alerts);
  }
}
