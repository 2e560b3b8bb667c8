package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.fairlead.money.usage.SpillCause;
import dev.fairlead.money.usage.SpillReport;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.money.usage.UsageRow;
import dev.fairlead.money.usage.ledger.HourDifference;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.work.world.TestWorld;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reports read daily totals, which agree with the hours of each day. */
class UsageDaysTest {
  private static final long HOUR = 3_600_000;
  private static final long DAY = 24 * HOUR;
  private static String url;
  private static PostgresInstallation stores;
  private final TestWorld world = TestWorld.in(stores);
  private final UseLedger ledger = stores.bean(UseLedger.class);
  private final long openDay = ledger.open() / DAY * DAY;

  @BeforeAll
  static void open() {
    url = Embedded.migratedDatabase();
    stores = PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password());
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  /** Two users use every hour of forty days up to the open one, of which one hour is past. */
  @BeforeEach
  void use() {
    sql("DELETE FROM use_fact");
    sql("UPDATE usage_watermark SET open_ms = %d".formatted(openDay + HOUR));
    use("ada", openDay - 40 * DAY, openDay + HOUR);
    use("robert", openDay - 40 * DAY, openDay + HOUR);
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, model, capacity, detail, amount)"
            + " SELECT 'SPILL', 'HOUR', start_ms, tenant, model, capacity, 'FULL', sum(amount)"
            + " FROM use_fact GROUP BY start_ms, tenant, model, capacity");
  }

  private void use(String user, long from, long to) {
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, cluster,"
            + " pool, model, capacity, amount)"
            + " SELECT 'USE', 'HOUR', h, '%s', '%s', '%s', '%s', '%s', '', 'H100', 'SPOT', h / 3600000 %% 1000 + 1"
                .formatted(
                    world.tenant().id().value(),
                    world.project().id().value(),
                    world.queue().id().value(),
                    user,
                    world.cluster().id().value())
            + " FROM generate_series(%d::bigint, %d, 3600000) h".formatted(from, to));
  }

  private static void sql(String statement) {
    stores.jdbc().sql(statement).update();
  }

  private List<UsageRow> report(UsageQuery.Period period) {
    return new UsageQuery(
            world.tenant().id(),
            null,
            null,
            period,
            new TreeSet<>(List.of(UsageQuery.Group.USER)),
            new TreeSet<>(),
            Instant.ofEpochMilli(openDay - 40 * DAY),
            Instant.ofEpochMilli(openDay + DAY),
            10_000)
        .report(ledger);
  }

  /** For the tenant and for all tenants, from and to the middle of a day. */
  private List<SpillReport> spills() {
    Instant from = Instant.ofEpochMilli(openDay - 30 * DAY + 7 * HOUR);
    Instant to = Instant.ofEpochMilli(openDay - 2 * DAY + 3 * HOUR);
    return List.of(
        SpillReport.of(ledger, world.tenant().id(), from, to),
        SpillReport.of(ledger, null, from, to));
  }

  private long spilled(SpillCause cause) {
    return spills().getFirst().spill().getFirst().causes().getOrDefault(cause, 0L);
  }

  private int sumAll() {
    int days = 0;
    while (ledger.sumDay()) {
      days++;
    }
    return days;
  }

  /** Fails when a day is lost or counted twice, or the open day counts as ended. */
  @Test
  void daysMatchTheirHours() {
    List<UsageRow> byMonth = report(UsageQuery.Period.MONTH);
    List<UsageRow> byDay = report(UsageQuery.Period.DAY);
    List<UsageRow> byHour = report(UsageQuery.Period.HOUR);

    assertThat(sumAll()).isEqualTo(40);

    assertThat(report(UsageQuery.Period.MONTH)).isEqualTo(byMonth);
    assertThat(report(UsageQuery.Period.DAY)).isEqualTo(byDay).hasSize(82);
    assertThat(report(UsageQuery.Period.HOUR)).isEqualTo(byHour).hasSize(2 * (40 * 24 + 2));
  }

  /** Fails when a report of days reads their hours all the same. */
  @Test
  void reportReadsDaysWhereSummed() {
    sumAll();
    sql(
        "DELETE FROM use_fact WHERE kind = 'USE' AND period = 'DAY' AND start_ms = "
            + (openDay - DAY));

    assertThat(report(UsageQuery.Period.DAY)).hasSize(82 - 2);
  }

  /** Fails when a wrong, missing or superfluous daily sum is not detected, or remains. */
  @Test
  void dayThatDiffersFromItsHoursIsDetectedAndSummedAgain() {
    sumAll();
    long day = openDay - 3 * DAY;
    assertThat(ledger.dayDifferences(day)).isEmpty();
    assertThat(ledger.dayDifferences(openDay)).as("not added up").isEmpty();
    List<UsageRow> right = report(UsageQuery.Period.DAY);

    byHand(
        "UPDATE use_fact SET amount = amount + 1 WHERE period = 'DAY' AND used_by = 'ada'"
            + " AND start_ms = "
            + day);
    sql("DELETE FROM use_fact WHERE period = 'DAY' AND used_by = 'robert' AND start_ms = " + day);

    List<HourDifference> found = ledger.dayDifferences(day);
    assertThat(found)
        .as("named as a day")
        .allMatch(
            each -> Instant.ofEpochMilli(day).toString().startsWith(each.key().get("day") + "T"));
    assertThat(found).extracting(d -> d.key().get("user")).containsExactly("ada", "robert");
    assertThat(found.getFirst().stored()).isEqualTo(found.getFirst().reckoned() + 1);
    assertThat(found.getLast().stored()).isZero();
    assertThat(report(UsageQuery.Period.DAY)).isNotEqualTo(right);
    ledger.sumDay(day);
    assertThat(report(UsageQuery.Period.DAY)).isEqualTo(right);
    assertThat(ledger.dayDifferences(day)).isEmpty();
  }

  /** Fails when a rewritten hour is missing in reports, as without the triggers. */
  @Test
  void rewrittenHourCountsImmediately() {
    sumAll();
    List<UsageRow> before = report(UsageQuery.Period.DAY);
    long hour = openDay - 30 * DAY;

    sql("DELETE FROM use_fact WHERE period = 'HOUR' AND used_by = 'ada' AND start_ms = " + hour);
    List<UsageRow> less = report(UsageQuery.Period.DAY);
    assertThat(less).isNotEqualTo(before);
    assertThat(sumAll()).isEqualTo(1);
    assertThat(report(UsageQuery.Period.DAY)).isEqualTo(less);

    use("ada", hour, hour);
    assertThat(report(UsageQuery.Period.DAY)).isEqualTo(before);
    assertThat(sumAll()).isEqualTo(1);
    assertThat(report(UsageQuery.Period.DAY)).isEqualTo(before);
  }

  /** Fails when a day sum that differs from its hours is retained. */
  private void assertReportsSayWhatHoursSay() {
    List<UsageRow> days = report(UsageQuery.Period.DAY);
    byHand("DELETE FROM usage_day_summed");
    assertThat(days).isEqualTo(report(UsageQuery.Period.DAY));
  }

  /** Removes an hour of the newest ended day from a user. */
  private String correction() {
    return "DELETE FROM use_fact WHERE period = 'HOUR' AND used_by = 'ada' AND start_ms = "
        + (openDay - DAY);
  }

  private static void byHand(String statement) {
    Databases.run(url, Embedded.server().user(), Embedded.server().password(), statement);
  }

  private Connection hand() throws SQLException {
    Connection hand =
        DriverManager.getConnection(url, Embedded.server().user(), Embedded.server().password());
    hand.setAutoCommit(false);
    return hand;
  }

  private static void run(Connection hand, String statement) throws SQLException {
    try (Statement each = hand.createStatement()) {
      each.execute(statement);
    }
  }

  /** Waits until the other transaction waits for a lock, or has found none to wait for. */
  private static void untilItWaits(Future<?> other) {
    String waiting =
        "SELECT count(*) FROM pg_locks JOIN pg_stat_activity a USING (pid)"
            + " WHERE NOT granted AND a.datname = current_database()";
    while (!other.isDone() && stores.jdbc().sql(waiting).query(Long.class).single() == 0) {
      Thread.onSpinWait();
    }
  }

  /** Fails when a sum reads hours while they change, as without the lock of the trigger. */
  @Test
  void sumOfADayWaitsForChangesOfItsHours() throws Exception {
    try (Connection hand = hand()) {
      run(hand, correction());
      CompletableFuture<Boolean> sum = CompletableFuture.supplyAsync(ledger::sumDay);
      untilItWaits(sum);
      hand.commit();
      assertThat(sum.join()).isTrue();
    }
    assertReportsSayWhatHoursSay();
  }

  /** Fails when a change misses a sum that has not read it, as without the lock of the trigger. */
  @Test
  void aChangeOfHoursWaitsForTheSumOfTheirDay() {
    CompletableFuture<Void> change =
        stores
            .transactions()
            .forAllTenants(() -> {
              assertThat(ledger.sumDay()).isTrue();
              CompletableFuture<Void> other =
                  CompletableFuture.runAsync(() -> byHand(correction()));
              untilItWaits(other);
              return other;
            });
    change.join();
    assertReportsSayWhatHoursSay();
  }

  /** Fails when a sum locks the row of the watermark without changing it. */
  @Test
  void aChangeThatCannotSeeANewerSumIsRefused() throws Exception {
    try (Connection hand = hand()) {
      hand.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      run(hand, "SELECT count(*) FROM use_fact");
      assertThat(ledger.sumDay()).isTrue();
      assertThatExceptionOfType(SQLException.class)
          .isThrownBy(() -> run(hand, correction()))
          .withMessageContaining("could not serialize");
    }
  }

  /** Fails when a trigger sees only the rows as they are after a change. */
  @Test
  void movedOrTruncatedHoursCountImmediately() {
    sumAll();
    byHand(
        "UPDATE use_fact SET start_ms = start_ms - %d WHERE kind = 'USE' AND period = 'HOUR' AND start_ms = %d"
            .formatted(50 * DAY, openDay - DAY));
    assertReportsSayWhatHoursSay();

    sumAll();
    byHand("TRUNCATE use_fact");
    assertThat(report(UsageQuery.Period.DAY)).isEmpty();
  }

  /** Fails when causes of a day are lost or counted twice, or a lost sum is not detected. */
  @Test
  void spillOfADayIsTheSumOfItsHours() {
    List<SpillReport> before = spills();
    assertThat(spilled(SpillCause.FULL)).isPositive();

    sumAll();

    assertThat(spills()).isEqualTo(before);
    sql("DELETE FROM use_fact WHERE kind = 'SPILL' AND period = 'DAY'");
    assertThat(spilled(SpillCause.FULL))
        .describedAs("days are read where they are added up")
        .isLessThan(before.getFirst().spill().getFirst().causes().get(SpillCause.FULL));
    assertThat(ledger.dayDifferences(openDay - 5 * DAY))
        .singleElement()
        .satisfies(lost -> assertThat(lost.key()).containsEntry("kind", "SPILL"));
  }

  /** Fails when rewritten causes do not count. It is visible only without the triggers. */
  @Test
  void rewrittenCausesCountImmediately() {
    sumAll();
    long full = spilled(SpillCause.FULL);
    long hour = openDay - 5 * DAY + HOUR;

    byHand(
        "UPDATE use_fact SET detail = 'FREE_ELSEWHERE'"
            + " WHERE kind = 'SPILL' AND period = 'HOUR' AND start_ms = "
            + hour);
    long elsewhere = spilled(SpillCause.FREE_ELSEWHERE);
    assertThat(elsewhere).isPositive();
    assertThat(spilled(SpillCause.FULL)).isEqualTo(full - elsewhere);
    assertThat(sumAll()).isEqualTo(1);

    sql("DELETE FROM use_fact WHERE kind = 'SPILL' AND period = 'HOUR' AND start_ms = " + hour);
    assertThat(spilled(SpillCause.FREE_ELSEWHERE)).isZero();
    assertThat(sumAll()).isEqualTo(1);

    byHand("TRUNCATE use_fact");
    assertThat(spills().getFirst().spill()).isEmpty();
  }
}
