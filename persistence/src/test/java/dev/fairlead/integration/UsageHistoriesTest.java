package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.UsageStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The cost for others of recalculating an old hour. */
class UsageHistoriesTest {
  private static PostgresInstallation stores;
  private final UsageStore usage = stores.bean(UsageStore.class);

  @BeforeAll
  static void open() {
    stores =
        PostgresInstallation.on(
            Embedded.migratedDatabase(), Embedded.server().user(), Embedded.server().password());
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
    sql(
        """
        INSERT INTO usage_interval
        SELECT gen_random_uuid(), 'worker', 0, x.id, x.id, x.id, 'ada', x.id, x.id, x.id, NULL, 'H100', 'RESERVED', '{0}',
               '{1000}', '{0}', h * 3600000::bigint, (h + 2) * 3600000::bigint
        FROM generate_series(0, 365 * 24) AS h, gen_random_uuid() AS x (id)
        """);
    sql(
        """
        INSERT INTO gpu_interval
        SELECT x.id, 0, x.id, '', 'H100', 'FREE', 0, h * 3600000::bigint, (h + 2) * 3600000::bigint, 'SPOT'
        FROM generate_series(0, 365 * 24) AS h, gen_random_uuid() AS x (id)
        """);
    sql("ANALYZE usage_interval, gpu_interval");

    assertThat(plan(65 * 24))
        .anyMatch(line -> line.contains("on usage_interval_span"))
        .anyMatch(line -> line.contains("on gpu_interval_span"))
        .noneMatch(line -> line.contains("Seq Scan on usage_interval"))
        .noneMatch(line -> line.contains("Seq Scan on gpu_interval"));
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
              long hour = usage.open() - HourBook.HOUR_MILLIS;
              HourBook book = new HourBook(hour, hour + HourBook.HOUR_MILLIS);
              usage.gpus(hour, book.toMillis(), book::add);
              assertThat(usage.stored(hour).differences(book.sums())).isEmpty();
              return CompletableFuture.supplyAsync(this::lookedAtOnce).join();
            });
    assertThat(looked).isTrue();
  }
}
