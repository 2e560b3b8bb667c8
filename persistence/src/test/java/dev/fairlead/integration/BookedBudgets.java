package dev.fairlead.integration;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetExhaustedPolicy;
import dev.fairlead.money.budget.BudgetId;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetRecount;
import dev.fairlead.money.budget.BudgetScope;
import dev.fairlead.money.budget.BudgetSpent;
import dev.fairlead.money.budget.BudgetState;
import dev.fairlead.money.budget.BudgetStore;
import dev.fairlead.money.budget.BudgetTimes;
import dev.fairlead.money.budget.BudgetUnit;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.money.budget.ClosedUse;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptId;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Budgets over random job lifecycles: hard budgets of GPU-hours and of money, which get a grant
 * whenever they refuse a start, and soft budgets of the same initial amounts. Prices change within
 * hours, and a few hours have no price.
 */
final class BookedBudgets {
  private static final String CURRENCY = "CHF";
  private static final BudgetUnit MONEY = new BudgetUnit(CURRENCY);
  private static final BigInteger HOURS = BudgetTimes.hours(4);
  private static final BigInteger FRANCS = MONEY.amount(BigDecimal.valueOf(6)).orElseThrow();
  private static final int PRICES = 40;

  private final PostgresInstallation stores;
  private final BudgetStore budgets;
  private final TenantId tenant;
  private final List<String> overHard = new ArrayList<>();
  private int overHours;
  private int overMoney;

  BookedBudgets(PostgresInstallation stores, TenantId tenant, ClusterId cluster) {
    this.stores = stores;
    this.budgets = stores.bean(BudgetStore.class);
    this.tenant = tenant;
    prices(cluster);
    insert("hard", BudgetUnit.GPU_HOURS, HOURS, Budget.Mode.HARD);
    insert("soft", BudgetUnit.GPU_HOURS, HOURS, Budget.Mode.SOFT);
    insert("money-hard", MONEY, FRANCS, Budget.Mode.HARD);
    insert("money-soft", MONEY, FRANCS, Budget.Mode.SOFT);
  }

  /** Two of three hours have a price, which begins and ends between hours. */
  private void prices(ClusterId cluster) {
    Instant from = Instant.ofEpochMilli(budgets.now()).plus(Duration.ofMinutes(100));
    for (int i = 0; i < PRICES; i++) {
      Instant next = from.plus(Duration.ofMinutes(100));
      ConfigDocument<Price> _ =
          stores
              .configs()
              .put(
                  new Price(
                          new PriceId(stores.ids().next()),
                          new PriceScope(cluster, null, null, null),
                          new Money(1_234_567L + 1_000_003L * (i % 3), CURRENCY),
                          new Validity(from, next),
                          null,
                          null,
                          from)
                      .document());
      from = i % 2 == 0 ? next : next.plus(Duration.ofMinutes(100));
    }
  }

  private void insert(String name, BudgetUnit unit, BigInteger amount, Budget.Mode mode) {
    BudgetScope scope = new BudgetScope(tenant, null, null, null);
    Budget budget =
        new Budget(
            new BudgetId(stores.ids().next()),
            scope,
            name,
            unit,
            amount,
            BudgetPeriod.MONTH,
            mode,
            BudgetExhaustedPolicy.FINISH,
            List.of(),
            List.of(),
            1);
    budgets.insert(budget, budgets.closed(budget), false);
  }

  /**
   * A start was accepted: the current charges fit into the budget, unless the start costs nothing.
   */
  void started(AttemptId attempt, long nowMillis) {
    for (BudgetState state : budgets.budgets(tenant)) {
      Budget budget = state.budget();
      long period = budget.period().begin(nowMillis);
      BigInteger over = state.use(period).charged().subtract(budget.limit(period, nowMillis));
      if (over.signum() > 0 && budget.closes() && weight(attempt, budget) > 0) {
        overHard.add(budget.name() + " " + over + " beyond " + budget.amount());
      } else if (over.signum() > 0 && !budget.closes()) {
        overMoney += budget.unit().money() ? 1 : 0;
        overHours += budget.unit().money() ? 0 : 1;
      }
    }
  }

  private long weight(AttemptId attempt, Budget budget) {
    return stores
        .jdbc()
        .sql(
            "SELECT coalesce(sum(coalesce(weight, milli)), 0) FROM budget_charge"
                + " WHERE attempt = :attempt AND budget = :budget")
        .param("attempt", attempt.value())
        .param("budget", budget.id().value())
        .query(Long.class)
        .single();
  }

  void refused() {
    for (BudgetState state : budgets.budgets(tenant)) {
      Budget budget = state.budget();
      if (budget.closes()) {
        BigInteger more = (budget.unit().money() ? FRANCS : HOURS).divide(BigInteger.valueOf(4));
        budgets.update(budget.with(budget.amount().add(more), budget.mode(), List.of()));
      }
    }
  }

  /** Starts that a hard budget had no room for. */
  List<String> overHard() {
    return overHard;
  }

  /** Number of starts beyond the soft budget of GPU-hours. */
  int overHours() {
    return overHours;
  }

  /** The same of money. */
  int overMoney() {
    return overMoney;
  }

  List<BudgetRecount.Drift> drifts() {
    List<BudgetRecount.Drift> drifts = new ArrayList<>();
    for (BudgetState state : budgets.budgets(tenant)) {
      Budget budget = state.budget();
      ClosedUse closed = budgets.closed(budget);
      drifts.addAll(
          stores.transactions().forAllTenants(() -> budgets.recount(budget.id(), closed)));
    }
    return drifts;
  }

  /** Of one, all periods together. */
  BudgetUse use(String name) {
    BudgetSpent spent = BudgetSpent.NOTHING;
    BigInteger reserved = BigInteger.ZERO;
    for (BudgetState state : budgets.budgets(tenant)) {
      if (state.budget().name().equals(name)) {
        for (BudgetUse use : state.uses().values()) {
          spent = spent.plus(use.used());
          reserved = reserved.add(use.reserved());
        }
      }
    }
    return new BudgetUse(spent, reserved, 0);
  }

  /** The cost of intervals, hour by hour. */
  BudgetSpent costs() {
    BudgetSpent[] sum = {BudgetSpent.NOTHING};
    stores
        .jdbc()
        .sql(
            """
            SELECT u.cluster, u.model, u.capacity, h.hour_ms,
                   sum((SELECT sum(m) FROM unnest(u.milli) AS m)
                       * (least(u.ended_ms, h.hour_ms + 3600000) - greatest(u.started_ms, h.hour_ms))) AS milli_ms
            FROM usage_interval u
            CROSS JOIN LATERAL generate_series(u.started_ms / 3600000 * 3600000, u.ended_ms, 3600000) AS h (hour_ms)
            GROUP BY 1, 2, 3, 4
            """)
        .query(row -> {
          BigInteger used = row.getBigDecimal("milli_ms").toBigIntegerExact();
          Money price =
              BookedStatements.price(
                  stores.prices().book(), row, Instant.ofEpochMilli(row.getLong("hour_ms")));
          sum[0] =
              sum[0].plus(
                  price == null || !price.currency().equals(CURRENCY)
                      ? new BudgetSpent(BigInteger.ZERO, used)
                      : new BudgetSpent(
                          used.multiply(BigInteger.valueOf(price.micros())), BigInteger.ZERO));
        });
    return sum[0];
  }
}
