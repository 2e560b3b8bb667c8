package dev.fairlead.money.budget;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Price;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.price.PriceScope;
import dev.fairlead.money.price.Validity;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** Budgets, prices and jobs of the tests of a {@link BudgetStore}, by a clock of tests. */
public abstract class BudgetFixture {
  protected static final long HOUR = Duration.ofHours(1).toMillis();
  protected static final BudgetUnit EUR = new BudgetUnit("EUR");

  protected BudgetStore budgets;
  protected TestWorld world;

  protected abstract Stores stores();

  /** The middle of a month at which each test begins, in milliseconds since 1970. */
  protected abstract long middle();

  /** From now on it is this time, in milliseconds since 1970. */
  protected abstract void to(long millis);

  /** Hours of use before then are closed. */
  protected abstract void close(long untilMillis);

  @BeforeEach
  void aWorldOfItsOwn() {
    to(middle());
    budgets = stores().budgets();
    world = TestWorld.in(stores());
  }

  protected final Budget hard(double gpuHours) {
    return hard(BudgetUnit.GPU_HOURS, BudgetTimes.hours(gpuHours));
  }

  protected final Budget paid(double euros) {
    return hard(EUR, EUR.amount(BigDecimal.valueOf(euros)).orElseThrow());
  }

  protected final Budget hard(BudgetUnit unit, BigInteger amount) {
    Budget budget =
        new Budget(
            new BudgetId(stores().ids().next()),
            new BudgetScope(world.tenant().id(), world.project().id(), null, null),
            "research",
            unit,
            amount,
            BudgetPeriod.MONTH,
            Budget.Mode.HARD,
            BudgetExhaustedPolicy.FINISH,
            List.of(50, 100),
            List.of(),
            1);
    budgets.insert(budget, budgets.closed(budget), false);
    return budget;
  }

  protected final BudgetState state() {
    return budgets.budgets(world.tenant().id()).getFirst();
  }

  /** GPU-hours of the period that holds the time. */
  protected final List<Double> spentAndReserved(long at) {
    BudgetUse use = state().use(BudgetPeriod.MONTH.begin(at));
    return List.of(hours(use.spent()), hours(use.reserved()));
  }

  protected static double hours(BigInteger amount) {
    return amount.doubleValue() / Budget.GPU_HOUR;
  }

  protected final Job job(String name, int gpus, int hours) {
    return world.submit(
        Specs.job(name)
            .gpus(gpus)
            .maxRuntime(Duration.ofHours(hours))
            .retry(5, FailureCause.PREEMPTED));
  }

  /** Runs the work of the loop. */
  protected final void renew() {
    for (BudgetId due : budgets.due()) {
      boolean _ =
          stores()
              .transactions()
              .forAllTenants(() -> {
                BudgetBook book = budgets.lock(due);
                budgets.write(book);
                return true;
              });
    }
  }

  /** A price of the GPUs of this world, from this time after the middle. */
  protected final PriceId price(PriceId replaced, String euros, Duration after) {
    Instant from = Instant.ofEpochMilli(middle()).plus(after);
    PriceId id = new PriceId(stores().ids().next());
    long micros = new BigDecimal(euros).movePointRight(6).longValueExact();
    ConfigDocument<Price> _ =
        stores()
            .configs()
            .put(
                new Price(
                        id,
                        new PriceScope(world.cluster().id(), null, null, null),
                        new Money(micros, "EUR"),
                        new Validity(from, null),
                        replaced,
                        null,
                        from)
                    .document());
    return id;
  }

  /** Euros or GPU-hours of the middle period, spent and reserved. */
  protected final List<String> figures() {
    BudgetUse use = state().use(BudgetPeriod.MONTH.begin(middle()));
    BudgetUnit unit = state().budget().unit();
    return List.of(unit.text(use.spent()), unit.text(use.reserved()));
  }

  protected final BigInteger running(Budget budget) {
    return stores()
        .transactions()
        .forAllTenants(() ->
            budgets
                .running(List.of(budget), budgets.now())
                .getOrDefault(budget.id(), BigInteger.ZERO));
  }

  protected final List<BudgetRecount.Drift> recounted(Budget budget) {
    ClosedUse closed = budgets.closed(budget);
    return stores().transactions().forAllTenants(() -> budgets.recount(budget.id(), closed));
  }
}
