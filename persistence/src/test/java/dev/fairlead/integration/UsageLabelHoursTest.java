package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageLabelStore;
import dev.fairlead.money.usage.UsageLabels;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.money.usage.UsageRow;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.ledger.HourDifference;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Use by the labels that a tenant names, by a clock that the test sets. */
class UsageLabelHoursTest {
  private static final long HOUR = HourBook.HOUR_MILLIS;
  private static final long DAY = 24 * HOUR;
  private static final long BEGIN = System.currentTimeMillis() / DAY * DAY + DAY;
  private static DatabaseClock clock;
  private static String url;
  private static PostgresInstallation stores;
  private final UsageStore usage = stores.bean(UsageStore.class);
  private final UseLedger ledger = stores.bean(UseLedger.class);
  private final UsageLabelStore labels = stores.bean(UsageLabelStore.class);
  private TestWorld world;

  @BeforeAll
  static void open() {
    clock = new DatabaseClock(BEGIN);
    url = Embedded.migratedDatabase();
    stores =
        PostgresInstallation.altered(
            url, Embedded.server().user(), Embedded.server().password(), clock);
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  @BeforeEach
  void aWorldOfItsOwn() {
    clock.to(BEGIN);
    sql("UPDATE usage_watermark SET open_ms = " + BEGIN);
    sql("DELETE FROM use_fact");
    world = TestWorld.in(stores);
  }

  private static void sql(String statement) {
    stores.jdbc().sql(statement).update();
  }

  private void name(long from, String... keys) {
    labels.put(
        world.tenant().id(), new UsageLabels(Instant.ofEpochMilli(from), List.of(keys), "ada"));
  }

  private Attempt running(Specs spec) {
    return world.run(world.place(world.submit(spec.gpus(1)), 0, "node-1"));
  }

  private void write(int hours) {
    for (long hour = BEGIN; hour < BEGIN + hours * HOUR; hour += HOUR) {
      ledger.write(sums(hour).sums().facts());
    }
    sql("UPDATE usage_watermark SET open_ms = " + (BEGIN + hours * HOUR));
  }

  private HourBook sums(long hour) {
    HourBook book = new HourBook(hour, hour + HOUR);
    usage.gpus(hour, book.toMillis(), book::add);
    return book;
  }

  /** GPU-hours by the values of the labels, as they are reported. */
  private SortedMap<String, Double> report(UsageQuery.Period period, String... keys) {
    SortedMap<String, Double> found = new TreeMap<>();
    rows(period, 2_000, keys)
        .forEach(row ->
            found.merge(
                String.join("/", row.labels().values()),
                row.milliMillis() / 1000.0 / HOUR,
                Double::sum));
    return found;
  }

  private List<UsageRow> rows(UsageQuery.Period period, int limit, String... keys) {
    return new UsageQuery(
            world.tenant().id(),
            null,
            null,
            period,
            new TreeSet<>(),
            new TreeSet<>(List.of(keys)),
            Instant.ofEpochMilli(BEGIN),
            Instant.ofEpochMilli(BEGIN + 2 * DAY),
            limit)
        .report(ledger);
  }

  /**
   * Fails when hours before the naming have labels, when a label of another key counts, when a
   * patch of the labels moves past usage, or when the rows do not add up to the usage.
   */
  @Test
  void useHasTheLabelsOfItsJobAtTheStart() {
    name(BEGIN + HOUR, "grant", "paper");
    Attempt first = running(Specs.job("first").label("grant", "17").label("stage", "dev"));
    Attempt second = running(Specs.job("second").label("paper", "x"));
    Attempt third = running(Specs.job("third").label("stage", "dev"));
    clock.to(BEGIN + 2 * HOUR);
    sql(
        "UPDATE job SET labels = '{\"grant\": \"18\"}' WHERE id = '%s'"
            .formatted(first.job().value()));
    world.succeed(first);
    clock.to(BEGIN + 3 * HOUR);
    List.of(second, third).forEach(world::succeed);

    write(4);

    assertThat(report(UsageQuery.Period.DAY, "grant")).isEqualTo(Map.of("", 7.0, "17", 1.0));
    assertThat(report(UsageQuery.Period.HOUR, "grant", "paper"))
        .isEqualTo(Map.of("/", 5.0, "17/", 1.0, "/x", 2.0));
    assertThat(report(UsageQuery.Period.DAY)).isEqualTo(Map.of("", 8.0));
    assertThat(ledger.stored(BEGIN + HOUR).differences(sums(BEGIN + HOUR).sums().facts()))
        .isEmpty();
  }

  /** Fails when a session of a warm pool counts by the labels of the wrong owner. */
  @Test
  void takenSessionHasTheLabelsOfItsUserFromThenOn() {
    name(BEGIN, "grant");
    Job member = world.submit(Specs.job("lab-warm-1").gpus(1).label("grant", "pool"));
    Job other = world.submit(Specs.job("lab-warm-2").gpus(1).label("grant", "pool"));
    Attempt first = world.run(world.place(member, 0, "node-1"));
    Attempt second = world.run(world.place(other, 0, "node-1"));
    clock.to(BEGIN + HOUR);
    take(member, first, Specs.job("eda").label("grant", "17"));
    take(other, second, Specs.job("plain"));
    clock.to(BEGIN + 3 * HOUR);
    write(3);
    Map<String, Double> expected = Map.of("", 2.0, "17", 2.0, "pool", 2.0);
    assertThat(report(UsageQuery.Period.DAY, "grant")).as("while both run").isEqualTo(expected);

    List.of(first, second).forEach(attempt -> world.succeed(world.attempt(attempt)));
    write(3);
    assertThat(report(UsageQuery.Period.DAY, "grant")).isEqualTo(expected);
  }

  private void take(Job member, Attempt attempt, Specs wanted) {
    Job user = world.newJob(wanted.gpus(1).build());
    world.append(OwnerTransitions.take(world.job(member), attempt, user, world.now()));
  }

  /** Fails when a naming of another tenant or of a later hour counts, or an older one continues. */
  @Test
  void labelsOfTheHourAreUsed() {
    TestWorld stranger = TestWorld.in(stores);
    labels.put(
        stranger.tenant().id(), new UsageLabels(Instant.ofEpochMilli(BEGIN), List.of("stage"), ""));
    name(BEGIN, "grant");
    name(BEGIN + HOUR, "paper");
    name(BEGIN + 2 * HOUR);
    Attempt job =
        running(Specs.job("job").label("grant", "17").label("paper", "x").label("stage", "dev"));
    clock.to(BEGIN + 3 * HOUR);
    world.succeed(job);

    write(3);

    assertThat(report(UsageQuery.Period.HOUR, "grant", "paper", "stage"))
        .isEqualTo(Map.of("17//", 1.0, "/x/", 1.0, "//", 1.0));
    TenantId tenant = world.tenant().id();
    assertThat(labels.named(tenant, 2))
        .extracting(UsageLabels::keys)
        .containsExactly(List.of(), List.of("paper"));
    assertThat(labels.everNamed(tenant, "grant")).isTrue();
    assertThat(labels.everNamed(tenant, "stage")).isFalse();
  }

  /** Fails when days differ from their hours, or a wrong daily sum by label is not detected. */
  @Test
  void daysByLabelMatchTheirHours() {
    name(BEGIN + HOUR, "grant");
    Attempt one = running(Specs.job("one").label("grant", "17"));
    clock.to(BEGIN + 30 * HOUR);
    world.succeed(one);
    write(48);
    SortedMap<String, Double> hours = report(UsageQuery.Period.DAY, "grant");
    assertThat(hours).isEqualTo(Map.of("", 1.0, "17", 29.0));

    while (ledger.sumDay()) {
      assertThat(report(UsageQuery.Period.DAY, "grant")).isEqualTo(hours);
    }
    Databases.run(
        url,
        Embedded.server().user(),
        Embedded.server().password(),
        "UPDATE use_fact SET amount = amount - 3600000000 WHERE kind = 'LABELLED' AND period = 'DAY'"
            + " AND start_ms = %d AND tenant = '%s'".formatted(BEGIN, world.tenant().id().value()));
    assertThat(report(UsageQuery.Period.DAY, "grant")).isEqualTo(Map.of("", 2.0, "17", 28.0));
    List<HourDifference> found = ledger.dayDifferences(BEGIN);
    assertThat(found).hasSize(1);
    assertThat(found.getFirst().key()).containsEntry("label:grant", "17");
    ledger.sumDay(BEGIN);
    assertThat(ledger.dayDifferences(BEGIN)).isEmpty();
    assertThat(report(UsageQuery.Period.DAY, "grant")).isEqualTo(hours);
  }

  /** Fails when a key that reads as a null, or has a prefix, is stored as another. */
  @Test
  void labelKeysAreStoredUnchanged() {
    name(BEGIN, "null", "example.com/grant");

    assertThat(labels.named(world.tenant().id(), 1).getFirst().keys())
        .containsExactly("example.com/grant", "null");
  }

  /** One GPU-hour for each of this number of users, a hundred users an hour. */
  private void used(int users, String labels) {
    name(BEGIN, "run", "stage");
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, cluster, pool,"
            + " model, capacity, amount) SELECT 'USE', 'HOUR', %d + n / 100 * 3600000, tenant, id, default_queue, 'ada-' || n, id, '', 'H100', 'SPOT', 3600000000"
                .formatted(BEGIN)
            + " FROM project, generate_series(1, %d) n WHERE id = '%s'"
                .formatted(users, world.project().id().value()));
    sql(
        "INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, pool, model,"
            + " capacity, labels, amount) SELECT 'LABELLED', period, start_ms, tenant, project,"
            + " queue, used_by, pool, model, capacity, %s, amount FROM use_fact WHERE tenant = '%s'"
                .formatted(labels, world.tenant().id().value()));
  }

  /** Fails when a label with very many values appears in a report with all of them. */
  @Test
  void reportListsTheLargestValues() {
    used(1_200, "jsonb_build_object('run', used_by)");

    SortedMap<String, Double> found = report(UsageQuery.Period.DAY, "run");
    assertThat(found).hasSize(1_001).containsEntry("other", 200.0);
  }

  /** Fails when one label with many values is merged and another label of the same job is lost. */
  @Test
  void valuesOfOtherLabelsStay() {
    used(1_200, "jsonb_build_object('run', used_by, 'stage', 'dev')");

    SortedMap<String, Double> found = report(UsageQuery.Period.DAY, "run", "stage");
    assertThat(found).hasSize(1_001).containsEntry("other/dev", 200.0);
    assertThat(report(UsageQuery.Period.DAY, "stage")).isEqualTo(Map.of("dev", 1_200.0));
  }

  /** Fails when a report with too many rows is computed to its end, or accepted. */
  @Test
  void reportEndsAtItsLimit() {
    used(900, "jsonb_build_object('run', used_by)");

    assertThat(rows(UsageQuery.Period.DAY, 900, "run")).hasSize(900);
    assertThat(rows(UsageQuery.Period.DAY, 899, "run")).hasSize(899);
    assertThat(rows(UsageQuery.Period.HOUR, 5)).hasSize(5);
    assertThat(report(UsageQuery.Period.HOUR)).isEqualTo(Map.of("", 900.0));
  }
}
