package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.usage.FleetPart;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.HourSums;
import dev.fairlead.money.usage.SpillCause;
import dev.fairlead.money.usage.SpillReport;
import dev.fairlead.money.usage.SpillReport.Reserved;
import dev.fairlead.money.usage.SpillReport.Spilled;
import dev.fairlead.money.usage.SpillStore;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.TestWorld;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Capacity types in the books, and what follows from them by the hour. */
class SpillHoursTest {
  private static final long HOUR = HourBook.HOUR_MILLIS;
  private static final long FIRST = 500_000 * HOUR;

  private static String url;
  private static PostgresInstallation stores;
  private final TestWorld world = TestWorld.in(stores);
  private final UsageStore usage = stores.bean(UsageStore.class);
  private final SpillStore spill = stores.bean(SpillStore.class);

  @BeforeAll
  static void open() {
    url = Embedded.migratedDatabase();
    stores = PostgresInstallation.on(url, Embedded.server().user(), Embedded.server().password());
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  @BeforeEach
  void empty() {
    sql("DELETE FROM usage_interval");
    sql("DELETE FROM gpu_interval");
    sql("UPDATE usage_watermark SET placed_ms = NULL");
    sql("DELETE FROM usage_hour");
    sql("DELETE FROM fleet_hour");
    sql("DELETE FROM spill_hour");
    sql("DELETE FROM reserved_hour");
  }

  private static void sql(String statement) {
    Databases.run(url, Embedded.server().user(), Embedded.server().password(), statement);
  }

  private HourSums reckoned(long hour) {
    HourBook book = new HourBook(hour, hour + HOUR);
    usage.gpus(hour, hour + HOUR, book::add);
    return book.sums();
  }

  /** One GPU of on-demand capacity was held for the whole hour. */
  private void used(long hour) {
    stores
        .jdbc()
        .sql(
            """
            INSERT INTO usage_interval
            SELECT gen_random_uuid(), 'worker', 0, :tenant, :project, :queue, 'ada', gen_random_uuid(), :cluster,
                   gen_random_uuid(), NULL, 'H100', 'ON_DEMAND', '{0}', '{1000}', '{0}', :from, :to
            """)
        .param("tenant", world.tenant().id().value())
        .param("project", world.project().id().value())
        .param("queue", world.queue().id().value())
        .param("cluster", world.cluster().id().value())
        .param("from", hour)
        .param("to", hour + HOUR)
        .update();
  }

  /** A GPU was free; capacity and owner as SQL. */
  private void free(long hour, String capacity, String owner) {
    sql(
        "INSERT INTO gpu_interval (node, gpu, cluster, pool, model, state, kept_milli, started_ms,"
            + " ended_ms, capacity, owner)"
            + " SELECT gen_random_uuid(), 0, '%s', '', 'H100', 'FREE', 0, %d, %d, %s, %s"
                .formatted(world.cluster().id().value(), hour, hour + HOUR / 4, capacity, owner));
  }

  private SpillReport report(TenantId tenant) {
    return spill.spill(tenant, Instant.ofEpochMilli(FIRST), Instant.ofEpochMilli(FIRST + 9 * HOUR));
  }

  /** Fails when the books do not note how GPUs are paid for, by labels of nodes or the cluster. */
  @Test
  void theLookNotesCapacityTypesAndOwners() {
    stores
        .jdbc()
        .sql(
            "UPDATE node SET labels = '{\"karpenter.sh/capacity-type\": \"spot\"}', pool_tenant ="
                + " :t WHERE id = :n")
        .param("t", world.tenant().id().value())
        .param("n", world.node("node-1").id().value())
        .update();
    long from = usage.look().nowMillis();
    HourBook book = new HourBook(from, from + HOUR);
    usage.gpus(from, from + HOUR, book::add);

    Set<FleetPart> parts =
        book.fleet().keySet().stream()
            .filter(part -> part.cluster().equals(world.cluster().id()))
            .collect(Collectors.toSet());
    assertThat(parts)
        .extracting(FleetPart::capacity, FleetPart::owner)
        .containsExactlyInAnyOrder(
            tuple(CapacityType.SPOT, world.tenant().id()), tuple(world.cluster().capacity(), null));

    sql("UPDATE cluster SET capacity_type = 'ON_DEMAND'");
    usage.look();
    assertThat(
            stores
                .jdbc()
                .sql("SELECT DISTINCT capacity FROM gpu_interval WHERE ended_ms IS NULL")
                .query(String.class)
                .list())
        .contains("ON_DEMAND")
        .doesNotContain("RESERVED");
  }

  /** Fails when causes do not add up to the use, or another tenant's reserved GPUs are shown. */
  @Test
  void theReportClosesAndKeepsTheWall() {
    used(FIRST);
    free(FIRST, "'RESERVED'", "NULL");
    TestWorld stranger = TestWorld.in(stores);
    free(FIRST, "'RESERVED'", "'" + stranger.tenant().id().value() + "'");
    usage.write(reckoned(FIRST));

    SpillReport report = report(world.tenant().id());
    assertThat(report.spill())
        .containsExactly(
            new Spilled(
                world.tenant().name(),
                "H100",
                CapacityType.ON_DEMAND,
                Map.of(SpillCause.FREE_IN_CLUSTER, 250 * HOUR, SpillCause.FULL, 750 * HOUR)));
    assertThat(report.spill().getFirst().used()).isEqualTo(1000 * HOUR);
    assertThat(report.reserved())
        .containsExactly(new Reserved(null, "H100", Map.of(UsageBucket.FREE, 250 * HOUR)));
    assertThat(report.knownFrom()).isEqualTo(Instant.ofEpochMilli(FIRST));

    SpillReport others = report(stranger.tenant().id());
    assertThat(others.spill()).isEmpty();
    assertThat(others.reserved()).hasSize(2);
    assertThat(spill.spill(null, Instant.EPOCH, Instant.ofEpochMilli(FIRST + HOUR)).spill())
        .isEqualTo(report.spill());
  }

  /**
   * As a replica of before writes it: it leaves out what it does not know, and forgets no cause.
   */
  private void byOlderReplica(long hour, int factor) {
    sql(
        "UPDATE usage_hour SET cluster = NULL, milli_ms = %d * milli_ms WHERE hour_ms = %d"
            .formatted(factor, hour));
    sql("UPDATE fleet_hour SET capacity = NULL, owner = NULL WHERE hour_ms = " + hour);
  }

  /**
   * Fails when causes do not add up to the use of hours that an older replica wrote after a newer
   * one, with causes of an earlier sum or with none, or when writing such an hour again leaves it
   * so.
   */
  @Test
  void hoursOfAnOlderReplicaAreUnknownUntilTheyAreWrittenAgain() {
    for (int hour = 0; hour < 3; hour++) {
      used(FIRST + hour * HOUR);
      free(FIRST + hour * HOUR, "'RESERVED'", "NULL");
      usage.write(reckoned(FIRST + hour * HOUR));
    }
    byOlderReplica(FIRST + HOUR, 2);
    byOlderReplica(FIRST + 2 * HOUR, 1);
    sql("DELETE FROM spill_hour WHERE hour_ms = " + (FIRST + 2 * HOUR));
    Map<SpillCause, Long> mixed =
        Map.of(
            SpillCause.FREE_IN_CLUSTER,
            250 * HOUR,
            SpillCause.FULL,
            750 * HOUR,
            SpillCause.UNKNOWN,
            3000 * HOUR);
    assertThat(report(world.tenant().id()).spill().getFirst().causes()).isEqualTo(mixed);
    assertThat(spill.spill(null, Instant.EPOCH, Instant.ofEpochMilli(FIRST + 9 * HOUR)).spill())
        .isEqualTo(report(world.tenant().id()).spill());

    assertThat(usage.placedFrom()).isEqualTo(FIRST);
    for (long hour = FIRST + HOUR; hour <= FIRST + 2 * HOUR; hour += HOUR) {
      assertThat(usage.stored(hour).placed()).isFalse();
      usage.write(reckoned(hour));
      assertThat(usage.stored(hour).differences(reckoned(hour))).isEmpty();
    }
    assertThat(report(world.tenant().id()).spill().getFirst().causes())
        .isEqualTo(Map.of(SpillCause.FREE_IN_CLUSTER, 750 * HOUR, SpillCause.FULL, 2250 * HOUR));
  }

  /** Fails when an hour is lost in which an older replica looked, and a newer one adds it up. */
  @Test
  void anHourWithoutCapacityTypesHasNoCauseWhicheverReplicaWritesIt() {
    used(FIRST);
    free(FIRST, "'RESERVED'", "NULL");
    usage.write(reckoned(FIRST));
    used(FIRST + HOUR);
    free(FIRST + HOUR, "NULL", "NULL");
    usage.write(reckoned(FIRST + HOUR));
    assertThat(report(world.tenant().id()).spill().getFirst().causes())
        .containsEntry(SpillCause.UNKNOWN, 1000 * HOUR);
    assertThat(report(world.tenant().id()).spill().getFirst().used()).isEqualTo(2000 * HOUR);
  }

  /**
   * Fails when an hour that was added up before capacity types were noted is taken for one that
   * differs, gets a cause, or loses its use.
   */
  @Test
  void hoursOfBeforeAreUnknownAndStillTrue() {
    used(FIRST);
    free(FIRST, "NULL", "NULL");
    used(FIRST + HOUR);
    free(FIRST + HOUR, "'RESERVED'", "NULL");
    usage.write(reckoned(FIRST));
    sql("UPDATE usage_hour SET cluster = NULL");
    sql("UPDATE fleet_hour SET capacity = NULL");
    sql("DELETE FROM spill_hour");
    sql("UPDATE usage_watermark SET placed_ms = NULL");
    usage.write(reckoned(FIRST + HOUR));

    HourSums stored = usage.stored(FIRST);
    assertThat(stored.placed()).isFalse();
    assertThat(stored.differences(reckoned(FIRST).asDetailedAs(stored))).isEmpty();
    SpillReport report = report(world.tenant().id());
    assertThat(report.knownFrom()).isEqualTo(Instant.ofEpochMilli(FIRST + HOUR));
    assertThat(report.spill().getFirst().causes())
        .containsEntry(SpillCause.UNKNOWN, 1000 * HOUR)
        .containsEntry(SpillCause.FREE_IN_CLUSTER, 250 * HOUR);
    assertThat(report.spill().getFirst().used()).isEqualTo(2000 * HOUR);

    sql("UPDATE usage_hour SET milli_ms = 7 WHERE hour_ms = " + FIRST);
    HourSums wrong = usage.stored(FIRST);
    assertThat(wrong.differences(reckoned(FIRST).asDetailedAs(wrong))).hasSize(1);
    usage.write(reckoned(FIRST).asDetailedAs(wrong));
    assertThat(usage.stored(FIRST)).isEqualTo(stored);
  }
}
