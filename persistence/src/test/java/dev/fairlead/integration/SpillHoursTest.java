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
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.ledger.UseLedger;
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

/** Capacity types in the books, and the hourly spill derived from them. */
class SpillHoursTest {
  private static final long HOUR = HourBook.HOUR_MILLIS;
  private static final long FIRST = 500_000 * HOUR;

  private static String url;
  private static PostgresInstallation stores;
  private final TestWorld world = TestWorld.in(stores);
  private final UsageStore usage = stores.bean(UsageStore.class);
  private final UseLedger ledger = stores.bean(UseLedger.class);

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
    sql("DELETE FROM use_fact");
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

  /** A GPU was free, with capacity and owner as SQL. */
  private void free(long hour, String capacity, String owner) {
    sql(
        "INSERT INTO gpu_interval (node, gpu, cluster, pool, model, state, kept_milli, started_ms,"
            + " ended_ms, capacity, owner)"
            + " SELECT gen_random_uuid(), 0, '%s', '', 'H100', 'FREE', 0, %d, %d, %s, %s"
                .formatted(world.cluster().id().value(), hour, hour + HOUR / 4, capacity, owner));
  }

  private SpillReport report(TenantId tenant) {
    return SpillReport.of(
        ledger, tenant, Instant.ofEpochMilli(FIRST), Instant.ofEpochMilli(FIRST + 9 * HOUR));
  }

  /**
   * Fails when the usage records lack the capacity type of GPUs, by labels of nodes or the cluster.
   */
  @Test
  void usageRecordsHaveCapacityTypeAndOwner() {
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
        book.sums().fleet().keySet().stream()
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
  void reportAddsUpAndRespectsTenantIsolation() {
    used(FIRST);
    free(FIRST, "'RESERVED'", "NULL");
    TestWorld stranger = TestWorld.in(stores);
    free(FIRST, "'RESERVED'", "'" + stranger.tenant().id().value() + "'");
    ledger.write(reckoned(FIRST).facts());

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

    SpillReport others = report(stranger.tenant().id());
    assertThat(others.spill()).isEmpty();
    assertThat(others.reserved()).hasSize(2);
    assertThat(
            SpillReport.of(ledger, null, Instant.EPOCH, Instant.ofEpochMilli(FIRST + HOUR)).spill())
        .isEqualTo(report.spill());
  }
}
