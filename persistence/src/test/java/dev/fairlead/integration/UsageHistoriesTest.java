package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.money.statement.DeviceUse;
import dev.fairlead.money.statement.StatementStore;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageStore;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.TenantId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Cost of reads of old use. */
class UsageHistoriesTest {
  private static final long DAY = Duration.ofDays(1).toMillis();
  private static PostgresInstallation stores;
  private final UsageStore usage = stores.bean(UsageStore.class);
  private final UseLedger ledger = stores.bean(UseLedger.class);

  @BeforeAll
  static void open() {
    stores =
        PostgresInstallation.on(
            Embedded.migratedDatabase(), Embedded.server().user(), Embedded.server().password());
    sql(
        """
        INSERT INTO usage_interval
        SELECT gen_random_uuid(), 'worker', 0, x.id, x.id, x.id, 'ada', x.id, x.id, x.id, NULL, 'H100', 'RESERVED', '{0}',
               '{1000}', '{0}', h * 3600000::bigint, (h + CASE WHEN h % 100 = 0 THEN 50 ELSE 2 END) * 3600000::bigint
        FROM generate_series(0, 365 * 24) AS h, gen_random_uuid() AS x (id)
        """);
    sql(
        """
        INSERT INTO gpu_interval
        SELECT x.id, 0, x.id, '', 'H100', 'FREE', 0, h * 3600000::bigint, (h + 2) * 3600000::bigint, 'SPOT'
        FROM generate_series(0, 365 * 24) AS h, gen_random_uuid() AS x (id)
        """);
    sql("ANALYZE usage_interval, gpu_interval");
  }

  @AfterAll
  static void close() {
    stores.close();
  }

  private static void sql(String statement) {
    int _ = stores.jdbc().sql(statement).update();
  }

  private static List<String> plan(long hour) {
    return stores
        .transactions()
        .forAllTenants(() ->
            stores
                .jdbc()
                .sql("EXPLAIN (COSTS OFF)\n" + SqlFile.named("usage/gpu-histories").text())
                .param("from", hour * HourBook.HOUR_MILLIS)
                .param("to", (hour + 1) * HourBook.HOUR_MILLIS)
                .query(String.class)
                .list());
  }

  /** Fails when an hour of last year reads all that has ended since then. */
  @Test
  void oldHourReadsOnlyOverlappingRows() {
    assertThat(plan(65 * 24))
        .anyMatch(line -> line.contains("on usage_interval_span"))
        .anyMatch(line -> line.contains("on gpu_interval_span"))
        .noneMatch(line -> line.contains("Seq Scan on usage_interval"))
        .noneMatch(line -> line.contains("Seq Scan on gpu_interval"));
  }

  /** Fails when the statement of last year's month reads all use that ended since then. */
  @Test
  void devicesOfAnOldMonthAreFoundByTheEndsOfUseAndByLongUse() {
    TenantId tenant = new TenantId(UUID.randomUUID());
    UUID none = new UUID(0, 0);
    List<String> plan =
        stores
            .transactions()
            .inTenant(
                tenant,
                () ->
                    stores
                        .jdbc()
                        .sql("EXPLAIN (COSTS OFF)\n" + SqlFile.named("statement/devices").text())
                        .param("tenant", tenant.value())
                        .param("from", 30 * DAY)
                        .param("to", 60 * DAY)
                        .param("gpu", "")
                        .param("project", none)
                        .param("cluster", none)
                        .param("node", none)
                        .param("model", "")
                        .param("limit", 1)
                        .query(String.class)
                        .list());

    String bounds = "(ended_ms > '%d'::bigint) AND (ended_ms <= '%d'::bigint)";
    assertThat(plan)
        .anyMatch(line -> line.contains("usage_interval_ended"))
        .anyMatch(line -> line.contains(bounds.formatted(30 * DAY, 61 * DAY)))
        .anyMatch(line -> line.contains("usage_interval_long"))
        .noneMatch(line -> line.contains("Seq Scan on usage_interval"));
  }

  private static void used(TenantId tenant, long started, long ended) {
    int _ =
        stores
            .jdbc()
            .sql(
                """
                INSERT INTO usage_interval
                SELECT gen_random_uuid(), 'worker', 0, t, t, t, 'ada', t, t, t, NULL, 'H100', 'RESERVED', '{0}', '{1000}', '{0}',
                       :started, :ended
                FROM CAST(:tenant AS uuid) AS t
                """)
            .param("tenant", tenant.value())
            .param("started", started)
            .param("ended", ended)
            .update();
  }

  /** Fails when use across the end of a month is missing, counts twice, or is not split. */
  @Test
  void useOverTheEndsOfAMonthIsCutToIt() {
    TenantId tenant = new TenantId(UUID.randomUUID());
    long from = 10 * DAY;
    long to = 40 * DAY;
    used(tenant, from - DAY, to + 10 * DAY);
    used(tenant, from - 2, from + 3);
    used(tenant, to - 5, to + 1);
    used(tenant, to - 7, to + DAY);
    used(tenant, to - 11, to + DAY + 1);
    used(tenant, from - 2 * DAY, from);
    used(tenant, to, to + DAY);
    used(tenant, to, to + 3 * DAY);

    List<DeviceUse> uses =
        stores
            .bean(StatementStore.class)
            .devices(tenant, Instant.ofEpochMilli(from), Instant.ofEpochMilli(to), null, 10);

    assertThat(uses)
        .extracting(DeviceUse::milliMillis)
        .containsExactly(1000 * (30 * DAY + 3 + 5 + 7 + 11));
  }

  private boolean lookedAtOnce() {
    return stores
        .transactions()
        .forAllTenants(() -> {
          stores.jdbc().sql("SET LOCAL lock_timeout = '20ms'").update();
          return usage.look().nowMillis() > 0;
        });
  }

  /** Fails when the recording loop waits for an hour that is only compared. */
  @Test
  void loopRecordsUsageWhileAnHourIsCompared() {
    boolean looked =
        stores
            .transactions()
            .forAllTenants(() -> {
              long hour = ledger.open() - HourBook.HOUR_MILLIS;
              HourBook book = new HourBook(hour, hour + HourBook.HOUR_MILLIS);
              usage.gpus(hour, book.toMillis(), book::add);
              assertThat(ledger.stored(hour).differences(book.sums().facts())).isEmpty();
              return CompletableFuture.supplyAsync(this::lookedAtOnce).join();
            });
    assertThat(looked).isTrue();
  }
}
