package dev.fairlead.integration;

import dev.fairlead.budget.Budget;
import dev.fairlead.budget.BudgetId;
import dev.fairlead.budget.BudgetPeriod;
import dev.fairlead.budget.BudgetRecount;
import dev.fairlead.budget.BudgetScope;
import dev.fairlead.budget.BudgetState;
import dev.fairlead.budget.BudgetStore;
import dev.fairlead.budget.BudgetUse;
import dev.fairlead.budget.ClosedUse;
import dev.fairlead.tenant.TenantId;
import java.util.ArrayList;
import java.util.List;

/**
 * Budgets over random lives: a hard one, which gets an hour more whenever it refuses a start, and a
 * soft one of the same first amount, which refuses none.
 */
final class BookedBudgets {
  private static final long AMOUNT = 4 * Budget.GPU_HOUR;

  private final PostgresInstallation stores;
  private final BudgetStore budgets;
  private final TenantId tenant;
  private final List<String> overHard = new ArrayList<>();
  private int overSoft;

  BookedBudgets(PostgresInstallation stores, TenantId tenant) {
    this.stores = stores;
    this.budgets = stores.bean(BudgetStore.class);
    this.tenant = tenant;
    insert("hard", Budget.Mode.HARD);
    insert("soft", Budget.Mode.SOFT);
  }

  private void insert(String name, Budget.Mode mode) {
    BudgetScope scope = new BudgetScope(tenant, null, null, null);
    BudgetId id = new BudgetId(stores.ids().next());
    Budget budget =
        new Budget(id, scope, name, AMOUNT, BudgetPeriod.MONTH, mode, List.of(), List.of(), 1);
    budgets.insert(budget, closed(budget), false);
  }

  private ClosedUse closed(Budget budget) {
    return budgets.closed(budget.scope(), budget.period());
  }

  /** A start is in: what is charged by now has room. */
  void started(long nowMillis) {
    for (BudgetState state : budgets.budgets(tenant)) {
      Budget budget = state.budget();
      long period = budget.period().begin(nowMillis);
      long over = state.use(period).charged() - budget.limit(period, nowMillis);
      if (over > 0 && budget.closes()) {
        overHard.add(over + " beyond " + budget.amount());
      } else if (over > 0) {
        overSoft++;
      }
    }
  }

  void refused() {
    Budget hard = budgets.budgets(tenant).getFirst().budget();
    budgets.update(hard.with(hard.amount() + Budget.GPU_HOUR, hard.mode(), List.of()));
  }

  /** Starts that the hard budget had no room for. */
  List<String> overHard() {
    return overHard;
  }

  /** How many starts the soft one had no room for. */
  int overSoft() {
    return overSoft;
  }

  List<BudgetRecount.Drift> drifts() {
    List<BudgetRecount.Drift> drifts = new ArrayList<>();
    for (BudgetState state : budgets.budgets(tenant)) {
      Budget budget = state.budget();
      ClosedUse closed = closed(budget);
      drifts.addAll(
          stores.transactions().forAllTenants(() -> budgets.recount(budget.id(), closed)));
    }
    return drifts;
  }

  /** Of the hard one, all periods together. */
  BudgetUse use() {
    long spent = 0;
    long reserved = 0;
    for (BudgetUse use : budgets.budgets(tenant).getFirst().uses().values()) {
      spent += use.spent();
      reserved += use.reserved();
    }
    return new BudgetUse(spent, reserved, 0);
  }
}
