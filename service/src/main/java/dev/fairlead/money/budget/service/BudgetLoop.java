package dev.fairlead.money.budget.service;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetBook;
import dev.fairlead.money.budget.BudgetEnforcer;
import dev.fairlead.money.budget.BudgetFigures;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetRecount;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.ClosedUse;
import dev.fairlead.money.budget.OverdrawingAttempt;
import dev.fairlead.work.event.Fact;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Reserves the next hour of attempts that outlast their reservation, announces thresholds, and
 * stops attempts of exhausted budgets, once a minute. It also verifies one budget in each pass, in
 * rotation: a budget that differs from its rows is logged, counted ({@code
 * fairlead.counters.drift}) and corrected. Admissions renew due reservations of their budgets, so a
 * pause of the loop only delays figures and alerts.
 */
@Component
public class BudgetLoop extends LeasedLoop {
  private static final Logger LOG = LoggerFactory.getLogger(BudgetLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(5);
  private static final Duration EVERY = Duration.ofMinutes(1);
  private static final int MOST_AT_WALL = 100;
  private final BudgetStore budgets;
  private final BudgetEnforcer enforcer;
  private final Transactions transactions;
  private final Recurring renewal;
  private final MeterRegistry metrics;

  /** Use of closed hours, so that each hour is read once. */
  private final SortedMap<BudgetId, ClosedUse> closed = new TreeMap<>();

  private @Nullable BudgetId counted;
  private @Nullable Budget verifying;
  private boolean meeting;

  /** Last attempt of the handled page, or null before the first page. */
  private @Nullable OverdrawingAttempt met;

  public BudgetLoop(
      Leases leases,
      BudgetStore budgets,
      BudgetEnforcer enforcer,
      Transactions transactions,
      MeterRegistry metrics) {
    super("budgets", "background", IDLE, leases);
    this.budgets = budgets;
    this.enforcer = enforcer;
    this.transactions = transactions;
    this.renewal = Recurring.fromNowOn(leases.clock(), EVERY);
    this.metrics = metrics;
    Counter _ = drifts();
  }

  private Counter drifts() {
    return metrics.counter(Metric.COUNTERS_DRIFT.meter(), Metric.COUNTERS_DRIFT.tags("BUDGET"));
  }

  @Override
  protected boolean turn(HeldLease lease) {
    if (renewal.due()) {
      List<BudgetState> states = budgets.states();
      for (BudgetId id : touched(states)) {
        guarded("budget " + id.text(), () -> transactions.runFenced(lease, () -> renew(id)));
      }
      renewal.done();
      next(states).ifPresent(budget -> verifying = budget);
      meeting = true;
    }
    if (meeting) {
      meeting = meet(lease);
    }
    Budget budget = verifying;
    if (budget != null) {
      guarded("budget " + budget.id().text(), () -> verify(lease, budget));
    }
    return verifying != null || meeting;
  }

  @Override
  protected void forget() {
    closed.clear();
    verifying = null;
    meeting = false;
    met = null;
  }

  /**
   * Stops a page of the attempts of exhausted budgets. Failed writes are tried again in the next
   * minute.
   *
   * @return whether there may be more pages
   */
  private boolean meet(HeldLease lease) {
    List<OverdrawingAttempt> page = budgets.overdrawing(met, MOST_AT_WALL);
    page.forEach(attempt -> meet(lease, attempt));
    met = page.size() == MOST_AT_WALL ? page.getLast() : null;
    return met != null;
  }

  /** Runs each in a separate transaction, so that a failure does not delay others. */
  private void meet(HeldLease lease, OverdrawingAttempt attempt) {
    try {
      boolean stopped =
          transactions.callFenced(
              lease,
              () -> {
                boolean done = enforcer.enforce(attempt);
                budgets.enforced(attempt);
                return done;
              });
      if (stopped) {
        LOG.info(
            "job {} exceeded budget {} and is stopped",
            attempt.job().text(),
            attempt.budget().text());
      }
    } catch (FenceLost deposed) {
      throw deposed;
    } catch (Conflict changed) {
      LOG.debug("job {} changed meanwhile", attempt.job().text());
    } catch (RuntimeException failed) {
      LOG.warn(
          "job {} of the exhausted budget {} could not be handled",
          attempt.job().text(),
          attempt.budget().text(),
          failed);
      passOver(1);
    }
  }

  /** Budgets with something to renew or to announce. */
  private SortedSet<BudgetId> touched(List<BudgetState> states) {
    SortedSet<BudgetId> ids = new TreeSet<>(budgets.due());
    long now = budgets.now();
    states.stream()
        .filter(state -> !state.due(now).isEmpty())
        .forEach(state -> ids.add(state.budget().id()));
    return ids;
  }

  /** The budget after the last verified one, by id, none while a budget is being summed. */
  private Optional<Budget> next(List<BudgetState> states) {
    if (verifying != null) {
      return Optional.empty();
    }
    NavigableMap<BudgetId, Budget> byId = new TreeMap<>();
    states.forEach(state -> byId.put(state.budget().id(), state.budget()));
    closed.keySet().retainAll(byId.keySet());
    Map.Entry<BudgetId, Budget> after = counted == null ? null : byId.higherEntry(counted);
    Map.Entry<BudgetId, Budget> next = after != null ? after : byId.firstEntry();
    return next == null ? Optional.empty() : Optional.of(next.getValue());
  }

  /**
   * Sums one closed day, outside the transaction that blocks starts under the budget. The budget
   * remains selected until all days are summed, and is then verified. While hours are not closed,
   * the budget does not change.
   */
  private void verify(HeldLease lease, Budget budget) {
    BudgetId id = budget.id();
    counted = id;
    verifying = null;
    ClosedUse known = closed.getOrDefault(id, ClosedUse.NONE);
    ClosedUse more = budgets.closedDay(budget, known);
    closed.put(id, more);
    if (!more.lags(budgets.now())) {
      transactions.callFenced(lease, () -> budgets.recount(id, more)).forEach(this::tell);
    } else if (more.equals(known)) {
      LOG.warn("budget {} is not recomputed: usage hours are not closed", id.text());
    } else {
      verifying = budget;
    }
  }

  private void tell(BudgetRecount.Drift drift) {
    drifts().increment();
    LOG.error(
        "{} of budget {} was {}, its reservations and usage records add up to {}: recomputed",
        drift.counter(),
        drift.budget().text(),
        drift.counted(),
        drift.held());
  }

  private void renew(BudgetId id) {
    BudgetBook book = budgets.lock(id);
    for (BudgetState state : book.states()) {
      Budget budget = state.budget();
      List<Integer> reached = book.alert(id);
      if (!reached.isEmpty()) {
        BigInteger running =
            budgets.running(List.of(budget), book.nowMillis()).getOrDefault(id, BigInteger.ZERO);
        BudgetFigures figures = BudgetFigures.of(book.state(id), running, book.nowMillis());
        reached.forEach(percent -> budgets.tell(budget, fact(budget, percent, figures)));
      }
    }
    budgets.write(book);
  }

  private static Fact fact(Budget budget, int percent, BudgetFigures figures) {
    BudgetUnit unit = budget.unit();
    String in = unit.money() ? "" : "GpuHours";
    Fact fact =
        Fact.of("BudgetThresholdReached")
            .with("budget", budget.name())
            .with("percent", percent)
            .with("spent" + in, unit.text(figures.spent()))
            .with("reserved" + in, unit.text(figures.reserved()))
            .with("limit" + in, unit.text(figures.limit()))
            .with("renewsAt", figures.end().toString());
    if (unit.currency() != null) {
      fact = fact.with("currency", unit.currency());
    }
    Instant runsOut = figures.runsOut();
    return runsOut == null ? fact : fact.with("runsOutAt", runsOut.toString());
  }
}
