package dev.fairlead.money.budget.service;

import dev.fairlead.money.budget.Budget;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigRevert;
import dev.fairlead.people.audit.RevertRequest;
import org.springframework.stereotype.Component;

/** Reverts changes of budgets. */
@Component
public class BudgetRevert implements ConfigRevert {
  private final Budgets budgets;
  private final BudgetCommands commands;

  public BudgetRevert(Budgets budgets, BudgetCommands commands) {
    this.budgets = budgets;
    this.commands = commands;
  }

  @Override
  public ConfigKind kind() {
    return ConfigKind.BUDGET;
  }

  @Override
  public void revert(RevertRequest request) {
    if (!request.of().operation().equals("updateBudget")) {
      throw request.refused("granted an extra amount, which remains until the grant ends");
    }
    Budget to = request.before(Budget.class);
    Budget from = request.after(Budget.class);
    String id = to.id().text();
    BudgetView now = budgets.named(request.actor(), id);
    long expected = request.expected(now.budget().version(), from.version());
    BudgetView _ =
        commands.update(
            request.actor(),
            id,
            old -> old.with(to.amount(), to.mode(), to.alerts()).at(to.onExhausted()),
            expected,
            false);
  }
}
