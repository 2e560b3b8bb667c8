package dev.fairlead.budget.service;

import dev.fairlead.budget.Budget;
import dev.fairlead.budget.BudgetBook;
import dev.fairlead.budget.BudgetFigures;
import dev.fairlead.budget.BudgetId;
import dev.fairlead.budget.BudgetState;
import dev.fairlead.budget.BudgetStore;
import dev.fairlead.budget.GpuHours;
import dev.fairlead.event.Fact;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.LeasedLoop;
import dev.fairlead.loop.Leases;
import dev.fairlead.loop.Recurring;
import dev.fairlead.transaction.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.springframework.stereotype.Component;

/**
 * Once a minute: reserves the next hour of attempts that last longer than was reserved for them,
 * and announces thresholds. Admissions renew by themselves what is due in their budgets, so a pause
 * makes figures and alerts late, and admits nothing more.
 */
@Component
public class BudgetLoop extends LeasedLoop {
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration EVERY = Duration.ofMinutes(1);
  private final BudgetStore budgets;
  private final Transactions transactions;
  private final Recurring renewal;

  public BudgetLoop(Leases leases, BudgetStore budgets, Transactions transactions) {
    super("budgets", "relay", IDLE, leases);
    this.budgets = budgets;
    this.transactions = transactions;
    this.renewal = Recurring.fromNowOn(leases.clock(), EVERY);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    if (renewal.due()) {
      for (BudgetId id : touched()) {
        transactions.runFenced(lease, () -> renew(id));
      }
      renewal.done();
    }
    return false;
  }

  /** Those with something to renew or to announce. */
  private SortedSet<BudgetId> touched() {
    SortedSet<BudgetId> ids = new TreeSet<>(budgets.due());
    long now = budgets.now();
    budgets.states().stream()
        .filter(state -> !state.due(now).isEmpty())
        .forEach(state -> ids.add(state.budget().id()));
    return ids;
  }

  private void renew(BudgetId id) {
    BudgetBook book = budgets.lock(id);
    for (BudgetState state : book.states()) {
      Budget budget = state.budget();
      List<Integer> reached = book.alert(id);
      if (!reached.isEmpty()) {
        long running = budgets.running(List.of(budget), book.nowMillis()).getOrDefault(id, 0L);
        BudgetFigures figures = BudgetFigures.of(book.state(id), running, book.nowMillis());
        reached.forEach(percent -> budgets.tell(budget, fact(budget, percent, figures)));
      }
    }
    budgets.write(book);
  }

  private static Fact fact(Budget budget, int percent, BudgetFigures figures) {
    Fact fact =
        Fact.of("BudgetThresholdReached")
            .with("budget", budget.name())
            .with("percent", percent)
            .with("spentGpuHours", GpuHours.text(figures.spent()))
            .with("reservedGpuHours", GpuHours.text(figures.reserved()))
            .with("limitGpuHours", GpuHours.text(figures.limit()))
            .with("renewsAt", figures.end().toString());
    Instant runsOut = figures.runsOut();
    return runsOut == null ? fact : fact.with("runsOutAt", runsOut.toString());
  }
}
