package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.money.budget.BudgetPeriod;
import dev.fairlead.money.budget.BudgetSpent;
import dev.fairlead.money.budget.BudgetUse;
import dev.fairlead.money.statement.IdleCosts;
import dev.fairlead.money.statement.IdleLine;
import dev.fairlead.money.statement.IdleRule;
import dev.fairlead.money.statement.StatementLine;
import dev.fairlead.money.statement.StatementStore;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.ledger.UseLedger;
import java.math.BigInteger;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * {@code make books}: the books of random job lifecycles balance. {@code -Dbooks.seed=} and {@code
 * -Dbooks.lives=} are the long form.
 */
class BooksTest {
  private static final long SEED = Long.getLong("books.seed", 21);
  private static final int LIVES = Integer.getInteger("books.lives", 60);
  private static final long HOUR = HourBook.HOUR_MILLIS;
  private static final long GPUS_MILLI = 16_000;

  private static String url;
  private static PostgresInstallation stores;
  private static BookedLives lives;
  private static long first;
  private static long open;
  private static BookedStatements statements;
  private static List<YearMonth> months;

  @BeforeAll
  static void live() {
    url = Embedded.migratedDatabase();
    long now = System.currentTimeMillis();
    DatabaseClock clock = new DatabaseClock(now);
    stores =
        PostgresInstallation.altered(
            url, Embedded.server().user(), Embedded.server().password(), clock);
    long begin =
        withHoursOfItsMonth(
            Math.max(BudgetPeriod.MONTH.end(now) - 6 * HOUR, (now / HOUR + 1) * HOUR));
    clock.to(begin);
    stores.bean(UsageStore.class).close(begin);
    lives = new BookedLives(stores, clock, SEED);
    first = begin;
    lives.live(LIVES);
    open = watermark("open_ms");
    statements = new BookedStatements(stores, lives.tenant());
    statements.randomPrices(SEED, first, open);
    months = BookedStatements.months(first, open - 1);
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  /**
   * Returns the hour, moved by three hours if a month ends within three hours of it. The first two
   * hours of a month have no prices yet.
   */
  private static long withHoursOfItsMonth(long hour) {
    int hours = BookedStatements.months(hour, hour + 3 * HOUR).size() == 1 ? 0 : 3;
    return hour + hours * HOUR;
  }

  private static long watermark(String column) {
    return stores
        .jdbc()
        .sql("SELECT " + column + " FROM usage_watermark")
        .query(Long.class)
        .single();
  }

  /** The errors in closed hours since the GPUs were first seen. */
  private static List<String> faults() {
    UsageStore usage = stores.bean(UsageStore.class);
    UseLedger ledger = stores.bean(UseLedger.class);
    List<String> faults = new ArrayList<>();
    for (long hour = first; hour < open; hour += HOUR) {
      HourBook book = new HourBook(hour, hour + HOUR);
      usage.gpus(hour, book.toMillis(), book::add);
      String when = "hour " + (hour - first) / HOUR + ": ";
      long physical =
          book.sums().fleet().values().stream()
              .flatMap(part -> part.values().stream())
              .mapToLong(Long::longValue)
              .sum();
      long used = book.sums().used().values().stream().mapToLong(Long::longValue).sum();
      expect(
          faults,
          when + "time of all GPUs",
          physical,
          GPUS_MILLI * HOUR + lives.expected().slices(hour, hour + HOUR));
      expect(faults, when + "overbooked", book.overbooked(), 0);
      expect(faults, when + "used", used, lives.expected().charged(hour, hour + HOUR));
      for (String label : BookedLives.VALUES) {
        long due = lives.expected().charged(label, hour, hour + HOUR);
        expect(faults, when + "used by " + label, labelled(book, label), due);
      }
      expect(
          faults,
          when + "sums that differ",
          ledger.stored(hour).differences(book.sums().facts()).size(),
          0);
    }
    return faults;
  }

  private static long labelled(HourBook book, String value) {
    return book.sums().labelled().entrySet().stream()
        .filter(e -> value.equals(e.getKey().labels().get(BookedLives.LABEL)))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  private static void expect(List<String> faults, String what, long is, long should) {
    if (is != should) {
      faults.add(what + " " + is + " instead of " + should);
    }
  }

  /**
   * Fails when a part of a GPU is in two buckets or in none, when usage is lost, doubled, shifted
   * by a clock step or left over from a crash, or when a closed hour has another result.
   */
  @Test
  void usageOfRandomJobsAddsUp() {
    System.out.printf(
        "books: seed %d, %d lives, %d hours closed: %s%n",
        SEED, LIVES, (open - first) / HOUR, lives.happened());
    assertThat(open - first).isGreaterThanOrEqualTo(2 * HOUR);
    assertThat(lives.happened())
        .containsKeys(
            "place",
            "clock ahead",
            "grow",
            "leave",
            "preempt",
            "succeed",
            "fail",
            "crash",
            "clock back",
            "cluster lost",
            "late evidence",
            "refused by a budget");
    assertThat(faults()).isEmpty();
  }

  /**
   * Fails when a start reserves more than a hard budget has, or when the charge differs from the
   * sum of reservations and spending, including money whose prices change within an hour. The soft
   * budgets show that the lives would exceed the amounts.
   */
  @Test
  void budgetsMatchTheirRows() {
    assertThat(lives.budgets().overHard()).isEmpty();
    assertThat(lives.budgets().overHours()).isPositive();
    assertThat(lives.budgets().overMoney()).isPositive();
    assertThat(lives.budgets().drifts()).isEmpty();
    BudgetSpent hours = new BudgetSpent(BigInteger.valueOf(ofIntervals()), BigInteger.ZERO);
    assertThat(lives.budgets().use("hard")).isEqualTo(new BudgetUse(hours, BigInteger.ZERO, 0));
    BudgetSpent money = lives.budgets().costs();
    assertThat(lives.budgets().use("money-hard"))
        .isEqualTo(new BudgetUse(money, BigInteger.ZERO, 0));
    assertThat(money.amount()).isPositive();
    assertThat(money.unpriced()).isPositive();
  }

  private static long ofIntervals() {
    return stores
        .jdbc()
        .sql(
            "SELECT sum((SELECT sum(m) FROM unnest(milli) AS m) * (ended_ms - started_ms))"
                + " FROM usage_interval")
        .query(Long.class)
        .single();
  }

  /** Fails when the comparison would not see a budget that was moved past its rows. */
  @Test
  void budgetMissingAnEndIsDetected() {
    sql("UPDATE budget_use SET spent = spent - 1");
    assertThat(lives.budgets().drifts()).isNotEmpty();
    assertThat(lives.budgets().drifts()).isEmpty();
  }

  /** Fails when a line is lost, counts twice, or use moves to another month, queue or capacity. */
  @Test
  void statementsAddUpToTheUsageOfTheirMonth() {
    List<StatementLine> all = new ArrayList<>();
    for (YearMonth month : months) {
      List<StatementLine> lines = statements.lines(month);
      assertThat(BookedStatements.used(lines)).isEqualTo(statements.reported(month));
      all.addAll(lines);
    }
    assertThat(all).anyMatch(line -> line.charge() == null).anyMatch(line -> line.charge() != null);
  }

  /**
   * Idle cost of random job lifecycles is divided by usage: tenants pay the separate amount, and
   * its time is the time of all GPUs minus usage. Fails when an hour, a part of the fleet or a
   * bucket is left out or counts twice, or a remainder is lost.
   */
  @Test
  void idleCostIsChargedToTheLastUnit() {
    for (YearMonth month : months) {
      IdleCosts apart = statements.idle(month, IdleRule.APART);
      IdleCosts divided = statements.idle(month, IdleRule.BY_USE);
      BigInteger time = BigInteger.ZERO;
      BigInteger money = BigInteger.ZERO;
      for (IdleLine line : apart.lines()) {
        assertThat(apart.shares(line)).isEmpty();
        time = time.add(line.milliMillis());
        money = money.add(line.micros());
      }
      assertThat(time).isEqualTo(BigInteger.valueOf(statements.unused(month)));
      assertThat(
              divided.shares(lives.tenant()).stream()
                  .map(IdleLine::micros)
                  .reduce(BigInteger.ZERO, BigInteger::add))
          .isEqualTo(money);
      assertThat(time).isPositive();
      assertThat(money).isPositive();
    }
  }

  /** Fails when a signed value, or one to be signed now, depends on the process that reports it. */
  @Test
  void statementsAreTheSameAfterARestartAndARebuild() {
    String said = statements.text(months);
    assertThat(stores.bean(StatementStore.class).sign(lives.tenant(), months.getFirst(), said))
        .isTrue();
    UsageStore usage = stores.bean(UsageStore.class);
    for (long hour = first; hour < open; hour += HOUR) {
      HourBook book = new HourBook(hour, hour + HOUR);
      usage.gpus(hour, book.toMillis(), book::add);
      stores.bean(UseLedger.class).write(book.sums().facts());
    }
    assertThat(statements.text(months)).isEqualTo(said);
    try (PostgresInstallation restarted =
        PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password())) {
      StatementStore store = restarted.bean(StatementStore.class);
      assertThat(new BookedStatements(restarted, lives.tenant()).text(months)).isEqualTo(said);
      assertThat(store.signed(lives.tenant(), months.getFirst())).contains(said);
      assertThat(store.sign(lives.tenant(), months.getFirst(), "another")).isFalse();
      assertThat(store.signed(lives.tenant(), months.getFirst())).contains(said);
    }
  }

  /** Fails when the comparison misses an omitted end. */
  @Test
  void missingEndIsDetected() {
    found(
        "UPDATE usage_interval u SET ended_ms = (SELECT max(ended_ms) FROM usage_interval)"
            + " WHERE u.attempt = (SELECT attempt FROM usage_interval WHERE ended_ms > started_ms"
            + " ORDER BY ended_ms, attempt LIMIT 1)");
  }

  /** Fails when the comparison misses a slice that counts as a whole GPU. */
  @Test
  void sliceCountedAsAWholeGpuIsDetected() {
    found(
        "UPDATE usage_interval u SET milli = '{1000}' WHERE u.attempt = (SELECT attempt FROM"
            + " usage_interval WHERE slices <> '{0}' AND cardinality(slices) = 1 AND slices[1] > 0"
            + " ORDER BY started_ms - ended_ms, attempt LIMIT 1)");
  }

  /** Fails when the comparison would not detect missing slices of a node. */
  @Test
  void omittedSlicesOfANodeAreDetected() {
    found("DELETE FROM usage_interval WHERE gpus = '{-1}'");
  }

  /** Fails when the comparison misses an interval that was written twice. */
  @Test
  void intervalClosedTwiceIsDetected() {
    found(
        "INSERT INTO usage_interval SELECT gen_random_uuid(), role, idx, tenant, project, queue,"
            + " used_by, job, cluster, node, pool, model, capacity, gpus, milli, slices,"
            + " started_ms, ended_ms FROM usage_interval ORDER BY started_ms - ended_ms, attempt"
            + " LIMIT 1");
  }

  /** Fails when the comparison would not detect that an attempt has the labels of another. */
  @Test
  void swappedLabelIsDetected() {
    found(
        "attempt_label",
        "UPDATE attempt_label SET labels = '{\"grant\": \"g1\"}' WHERE attempt = (SELECT l.attempt"
            + " FROM attempt_label l JOIN usage_interval u USING (attempt) WHERE l.labels ->>"
            + " 'grant' = 'g0' ORDER BY u.started_ms - u.ended_ms, l.attempt LIMIT 1)");
  }

  private static void found(String fault) {
    found("usage_interval", fault);
  }

  private static void found(String table, String fault) {
    sql("CREATE TABLE kept_books AS SELECT * FROM " + table);
    sql(fault);
    List<String> faults = faults();
    sql("DELETE FROM " + table);
    sql("INSERT INTO " + table + " SELECT * FROM kept_books");
    sql("DROP TABLE kept_books");
    assertThat(faults).isNotEmpty();
    assertThat(faults()).isEmpty();
  }

  private static void sql(String statement) {
    Databases.run(url, Embedded.server().user(), Embedded.server().password(), statement);
  }
}
