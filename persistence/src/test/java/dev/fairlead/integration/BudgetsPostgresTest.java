package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.money.budget.Budget;
import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetSpent;
import dev.fairlead.money.budget.BudgetStoreContract;
import dev.fairlead.money.budget.BudgetTimes;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.money.price.PriceId;
import dev.fairlead.money.statement.StatementLine;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.Stores;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reservations and spending of attempts under budgets, by a test clock. */
class BudgetsPostgresTest extends BudgetStoreContract {
  private static final long MIDDLE = BudgetsByClock.MIDDLE;
  private static final long NEXT_MONTH = BudgetsByClock.NEXT_MONTH;
  private static final DatabaseClock clock = BudgetsByClock.clock;
  private static final PostgresInstallation stores = BudgetsByClock.stores;
  private static final long OPENED =
      stores.jdbc().sql("SELECT open_ms FROM usage_watermark").query(Long.class).single();

  private static final int JOBS = 64;
  private static final int THREADS = 64;
  private static final int FIT = 10;

  private long charges() {
    return stores
        .jdbc()
        .sql("SELECT count(*) FROM budget_charge WHERE tenant = :tenant")
        .param("tenant", world.tenant().id().value())
        .query(Long.class)
        .single();
  }

  /**
   * Fails when budgets are read before they are locked or not locked at all, or when jobs cost no
   * money.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void concurrentReservationsNeverExceedTheBudget(boolean money) throws Exception {
    if (money) {
      price(null, "2.5", Duration.ZERO);
      paid(FIT * 0.25);
    } else {
      hard(FIT * 0.1);
    }
    // two trees on two nodes: only the budget orders their starts
    QuotaNode root = world.node("other-root", null, List.of(), null);
    QuotaNode other = world.node("other", root, List.of(), QueueSettings.DEFAULT);
    stores.quotas().insert(root);
    stores.quotas().insert(other);
    List<Callable<Boolean>> work = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      Specs spec =
          Specs.job("job-" + i).gpu(GpuRequest.fraction(100)).maxRuntime(Duration.ofHours(1));
      QuotaNode queue = i % 2 == 0 ? world.queue() : other;
      Job job = world.submit(world.newJob(spec.build(), world.project(), queue));
      Node node = world.node(i % 2 == 0 ? "node-1" : "node-2");
      int gpu = i / 2 % 8;
      GpuShare share = new GpuShare(gpu, node.gpus().get(gpu).serial(), 100);
      Attempt attempt =
          world.attempt(
              job,
              0,
              List.of(
                  Members.member(
                      job.spec().roles().getFirst(),
                      0,
                      node,
                      CapacityType.RESERVED,
                      List.of(share))));
      Transition admission = world.admission(attempt);
      work.add(() -> admitted(admission));
    }

    int in = 0;
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      for (Future<Boolean> each : threads.invokeAll(work, 60, TimeUnit.SECONDS)) {
        in += each.get() ? 1 : 0;
      }
    }

    assertThat(in).isEqualTo(FIT);
    assertThat(charges()).isEqualTo(FIT);
    assertThat(figures()).containsExactly("0", money ? "2.5" : "1");
  }

  private boolean admitted(Transition admission) {
    try {
      world.append(admission);
      return true;
    } catch (Conflict refused) {
      assertThat(refused.guard()).isEqualTo(Guard.BUDGET);
      return false;
    }
  }

  /** Fails when a reservation or its usage is written outside its transaction, or twice. */
  @Test
  void crashAtAnyStatementCountsNothingTwice() {
    hard(100);
    int crashes = 0;
    for (int i = 0; i < 40; i++) {
      Job job = job("job-" + i, 1, 1);
      clock.crashAfter(i);
      try {
        Attempt attempt = world.run(world.place(job, 0, "node-1"));
        clock.to(clock.millis() + HOUR / 4);
        world.succeed(attempt);
      } catch (DatabaseClock.Died died) {
        crashes++;
      }
      clock.survive();
      clock.to(clock.millis() + HOUR / 4);
      for (Attempt live : stores.jobs().liveAttempts(job.id())) {
        Failure over = Failure.of(FailureCause.PLATFORM, "over", 1);
        world.apply(live, new AttemptEvent.Ended(AttemptState.CANCELLED, over));
      }
      assertThat(charges()).isZero();
    }
    assertThat(crashes).isGreaterThan(20);
    BudgetUse use = state().use(NEXT_MONTH);
    assertThat(use.spent()).isEqualTo(BigInteger.valueOf(ofIntervals())).isPositive();
    assertThat(use.reserved()).isZero();
  }

  private long ofIntervals() {
    return stores
        .jdbc()
        .sql(
            "SELECT sum((SELECT sum(m) FROM unnest(milli) AS m) * (ended_ms - started_ms))"
                + " FROM usage_interval WHERE tenant = :tenant")
        .param("tenant", world.tenant().id().value())
        .query(Long.class)
        .single();
  }

  /** Fails when a charge that a version without budgets left behind is renewed forever. */
  @Test
  void attemptEndedByAnOlderVersionIsSpentOnceItsReservationEnds() {
    hard(20);
    Attempt attempt = world.run(world.place(job("train", 2, 2), 0, "node-1"));
    List<UUID> ids = List.of(attempt.id().value(), UUID.randomUUID());
    chargeMoves(ids.getFirst(), ids.getLast());
    clock.to(MIDDLE + HOUR);
    world.succeed(attempt);
    chargeMoves(ids.getLast(), ids.getFirst());
    renew();
    assertThat(spentAndReserved(MIDDLE)).containsExactly(0.0, 4.0);

    clock.to(MIDDLE + 2 * HOUR);
    renew();

    assertThat(spentAndReserved(MIDDLE)).containsExactly(2.0, 0.0);
    assertThat(charges()).isZero();
  }

  /** An end without a charge of its attempt, as by a version without budgets. */
  private void chargeMoves(UUID from, UUID to) {
    stores
        .jdbc()
        .sql("UPDATE budget_charge SET attempt = :to WHERE attempt = :from")
        .param("from", from)
        .param("to", to)
        .update();
  }

  private void set(String column, String text) {
    stores
        .jdbc()
        .sql("UPDATE budget SET " + column + " = :text WHERE tenant = :tenant")
        .param("text", text)
        .param("tenant", world.tenant().id().value())
        .update();
  }

  /** Fails when counters move by the months of a budget that has weeks or other periods. */
  @Test
  void attemptEndedUnderAnUnreadableBudgetIsSpentInItsPeriod() {
    hard(20);
    Attempt first = world.run(world.place(job("first", 1, 2), 0, "node-1"));
    Attempt second = world.run(world.place(job("second", 1, 2), 0, "node-2"));
    clock.to(MIDDLE + HOUR);

    set("period", "FORTNIGHT");
    world.succeed(first);
    assertThat(spentAndReserved(MIDDLE)).containsExactly(0.0, 4.0);
    set("period", "MONTH");
    set("mode", "GENTLE");
    world.succeed(second);
    assertThat(spentAndReserved(MIDDLE)).containsExactly(1.0, 2.0);
    set("mode", "HARD");
    clock.to(MIDDLE + 2 * HOUR);
    renew();
    assertThat(spentAndReserved(MIDDLE)).containsExactly(2.0, 0.0);

    set("period", "WEEK");
    set("mode", "GENTLE");
    assertThat(state().budget().period()).isEqualTo(BudgetPeriod.WEEK);
  }

  /** Fails when a row that this version cannot read admits jobs as if there were no budget. */
  @Test
  void unreadableBudgetAdmitsNothing() {
    hard(100);
    stores
        .jdbc()
        .sql("UPDATE budget SET period = 'FORTNIGHT' WHERE tenant = :tenant")
        .param("tenant", world.tenant().id().value())
        .update();
    Job job = job("train", 1, 1);

    Refused.by(Guard.BUDGET, () -> world.place(job, 0, "node-1"));
    assertThat(state().budget().mode()).isEqualTo(Budget.Mode.UNREADABLE);
  }

  /** Fails when a start reads the budgets of its tenant that do not count its job. */
  @Test
  void aStartFindsItsBudgetsByTheirScope() {
    int _ =
        stores
            .jdbc()
            .sql(
                """
                INSERT INTO budget (id, tenant, used_by, name, amount, period, mode, alerts, grants, version)
                SELECT gen_random_uuid(), :tenant, 'user-' || n, 'budget-' || n, 0, 'MONTH', 'HARD', '[]', '[]', 1
                FROM generate_series(1, 5000) n
                """)
            .param("tenant", world.tenant().id().value())
            .update();
    // with many tenants of few budgets, the index of the names costs as much
    int _ =
        stores
            .jdbc()
            .sql("DELETE FROM budget WHERE tenant <> :tenant")
            .param("tenant", world.tenant().id().value())
            .update();
    int _ = stores.jdbc().sql("ANALYZE budget").update();
    List<String> plan =
        stores
            .transactions()
            .forAllTenants(() ->
                stores
                    .jdbc()
                    .sql("EXPLAIN (COSTS OFF)\n" + SqlFile.named("budget/lock-budgets").text())
                    .param("attempts", "{}")
                    .param("jobs", "[]")
                    .query(String.class)
                    .list());

    assertThat(plan)
        .anyMatch(line -> line.contains("budget_of_whole_scope"))
        .anyMatch(line -> line.contains("budget_of_label"))
        .anyMatch(line -> line.contains("budget_pkey"))
        .noneMatch(line -> line.contains("Seq Scan on budget "));
  }

  /**
   * Fails when a price applies before its first hour, when usage without a price is lost, or when a
   * new budget or a recount differs from the sum at the ends of the attempts.
   */
  @Test
  void spentMoneyMatchesTheStatement() {
    PriceId cheap = price(null, "1.234567", Duration.ofHours(1));
    price(cheap, "3.000001", Duration.ofMinutes(150));
    Budget budget = paid(100);
    clock.to(MIDDLE + HOUR / 3);
    Attempt attempt = world.run(world.place(job("train", 2, 5), 0, "node-1"));
    clock.to(MIDDLE + 4 * HOUR + 7);
    world.succeed(attempt);

    // 40 minutes without a price, two hours at the first and an hour and 7 ms at the second
    BudgetSpent spent = state().use(BudgetPeriod.MONTH.begin(MIDDLE)).used();
    assertThat(EUR.text(spent.amount())).isEqualTo("10.938282");
    assertThat(spent.unpriced())
        .isEqualTo(BudgetTimes.hours(2).multiply(BigInteger.TWO).divide(BigInteger.valueOf(3)));
    assertThat(stated()).isEqualTo(spent);

    assertThat(recounted(budget)).isEmpty();
    budgets.delete(budget);
    paid(50);
    assertThat(state().use(BudgetPeriod.MONTH.begin(MIDDLE)).used()).isEqualTo(spent);
  }

  /** The sum of the lines of the statement before rounding. */
  private BudgetSpent stated() {
    UsageStore usage = stores.bean(UsageStore.class);
    for (long hour = MIDDLE; hour < MIDDLE + 5 * HOUR; hour += HOUR) {
      HourBook book = new HourBook(hour, hour + HOUR);
      usage.gpus(hour, book.toMillis(), book::add);
      stores.bean(UseLedger.class).write(book.sums().facts());
    }
    YearMonth month = YearMonth.from(Instant.ofEpochMilli(MIDDLE).atZone(ZoneOffset.UTC));
    BudgetSpent sum = BudgetSpent.NOTHING;
    for (StatementLine line : new BookedStatements(stores, world.tenant().id()).lines(month)) {
      StatementLine.Charge charge = line.charge();
      BigInteger used = BigInteger.valueOf(line.milliMillis());
      sum =
          sum.plus(
              charge == null
                  ? new BudgetSpent(BigInteger.ZERO, used)
                  : new BudgetSpent(
                      used.multiply(BigInteger.valueOf(charge.perGpuHour().micros())),
                      BigInteger.ZERO));
    }
    return sum;
  }

  /** Fails when a version without money budgets counts millionths of money as GPU-hours. */
  @Test
  void versionWithoutMoneyReadsAnUnknownPeriodAndNoHours() {
    price(null, "2", Duration.ZERO);
    paid(12);
    world.place(job("train", 2, 3), 0, "node-1");
    assertThat(
            stores
                .jdbc()
                .sql(
                    "SELECT b.period || ' ' || b.amount || ' ' || u.spent + u.reserved"
                        + " FROM budget b JOIN budget_use u ON u.budget = b.id"
                        + " WHERE b.tenant = :tenant")
                .param("tenant", world.tenant().id().value())
                .query(String.class)
                .single())
        .isEqualTo("MONEY_MONTH 0 0");
  }

  @Override
  protected Stores stores() {
    return stores;
  }

  @Override
  protected long middle() {
    return MIDDLE;
  }

  @Override
  protected void to(long millis) {
    clock.to(millis);
  }

  @Override
  protected void close(long untilMillis) {
    BudgetsByClock.closeHours(untilMillis);
  }

  @AfterEach
  void openAgainAndWithoutBudgets() {
    close(OPENED);
    BudgetsByClock.removeBudgets(world);
  }
}
