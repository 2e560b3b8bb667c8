package dev.fairlead.money.budget.service;

import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetFigures;
import org.jspecify.annotations.Nullable;

/**
 * A budget with its figures.
 *
 * @param project name, null for all
 * @param queue name, null for all
 */
public record BudgetView(
    Budget budget, @Nullable String project, @Nullable String queue, BudgetFigures figures) {}
