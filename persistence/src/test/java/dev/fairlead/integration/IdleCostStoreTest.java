package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.fairlead.money.price.PriceBook;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.statement.IdleCostPolicy;
import dev.fairlead.money.statement.IdleCostStore;
import dev.fairlead.money.statement.IdleRule;
import dev.fairlead.money.statement.IdleUse;
import dev.fairlead.money.statement.Statement;
import dev.fairlead.money.statement.TenantUse;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.money.usage.ledger.UseLedger;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Policies of idle cost, and the hours that they are about, as PostgreSQL has them. */
class IdleCostStoreTest {
  private static final YearMonth MONTH = YearMonth.of(2024, 6);
  private static final long HOUR = Statement.begin(MONTH).toEpochMilli();
  private static final TenantId ADA = new TenantId(new UUID(7, 1));
  private static final TenantId BOB = new TenantId(new UUID(7, 2));

  /** Fails when weights are lost, or the order in which policies were written is. */
  @Test
  void policiesRoundTrip() {
    try (PostgresInstallation stores = installation()) {
      IdleCostStore store = stores.bean(IdleCostStore.class);
      IdleCostPolicy first =
          policy(IdleRule.BY_QUOTA, IdleRule.APART, Map.of(ADA, 1000L, BOB, 2500L));
      IdleCostPolicy second = policy(IdleRule.APART, IdleRule.BY_USE, Map.of());
      store.insert(first);
      store.insert(second);

      assertThat(store.policies()).containsExactly(first, second);
      assertThatThrownBy(() ->
              stores
                  .transactions()
                  .forAllTenants(() ->
                      stores.jdbc().sql("UPDATE idle_cost_policy SET idle = 'BY_USE'").update()))
          .hasStackTraceContaining("permission denied");
    }
  }

  private static PostgresInstallation installation() {
    return PostgresInstallation.on(
        Embedded.migratedDatabase(), Embedded.server().user(), Embedded.server().password());
  }

  private static IdleCostPolicy policy(
      IdleRule idle, IdleRule outOfService, Map<TenantId, Long> weights) {
    return new IdleCostPolicy(
        MONTH,
        idle,
        outOfService,
        new TreeMap<>(weights),
        "ops",
        Instant.parse("2024-05-01T08:00:00.123Z"));
  }

  /**
   * Fails when usage in a pool of a tenant counts for shared capacity, when usage counts as idle,
   * or when an hour of another month, or without capacity types, is included.
   */
  @Test
  void dedicatedPoolsAreSeparateFromSharedOnes() {
    try (PostgresInstallation stores = installation()) {
      used(stores, HOUR, ADA, "", 5);
      used(stores, HOUR, ADA, "own", 7);
      used(stores, HOUR + 3_600_000, BOB, "own", 11);
      used(stores, HOUR - 3_600_000, BOB, "", 13);
      fleet(stores, HOUR, "", null, "FREE", 100);
      fleet(stores, HOUR, "", null, "USED", 5);
      fleet(stores, HOUR, "own", ADA, "SICK", 200);
      fleet(stores, HOUR, "own", ADA, "USED", 7);
      fleet(stores, HOUR + 3_600_000, "own", null, "USED", 11);
      fleet(stores, HOUR - 3_600_000, "", null, "FREE", 300);
      UseLedger ledger = stores.bean(UseLedger.class);
      PriceSpans spans =
          new PriceSpans(PriceBook.EMPTY, Statement.begin(MONTH), Statement.end(MONTH));
      List<IdleUse> idle = new ArrayList<>();
      IdleUse.each(ledger, spans, idle::add);

      assertThat(TenantUse.of(ledger, spans))
          .containsExactly(new TenantUse(ADA, "H100", 5), new TenantUse(BOB, "H100", 11));
      assertThat(idle)
          .extracting(IdleUse::bucket, IdleUse::owner, IdleUse::milliMillis)
          .containsExactlyInAnyOrder(
              tuple(UsageBucket.FREE, null, 100L), tuple(UsageBucket.SICK, ADA, 200L));
    }
  }

  private static void used(
      PostgresInstallation stores, long hour, TenantId tenant, String pool, long milli) {
    run(
        stores,
        "INSERT INTO use_fact (kind, period, start_ms, tenant, project, queue, used_by, cluster,"
            + " pool, model, capacity, amount)"
            + " VALUES ('USE', 'HOUR', %d, '%s', '%s', '%s', 'x', '00000000-0000-0000-0000-000000000001', '%s', 'H100', 'RESERVED', %d)"
                .formatted(hour, tenant.value(), tenant.value(), tenant.value(), pool, milli));
  }

  private static void fleet(
      PostgresInstallation stores,
      long hour,
      String pool,
      @Nullable TenantId owner,
      String bucket,
      long milli) {
    String of = owner == null ? "NULL" : "'" + owner.value() + "'";
    run(
        stores,
        "INSERT INTO use_fact (kind, period, start_ms, cluster, pool, owner, model, capacity,"
            + " detail, amount)"
            + " VALUES ('FLEET', 'HOUR', %d, '00000000-0000-0000-0000-000000000001', '%s', %s, 'H100', 'RESERVED', '%s', %d)"
                .formatted(hour, pool, of, bucket, milli));
  }

  private static void run(PostgresInstallation stores, String statement) {
    int _ = stores.transactions().forAllTenants(() -> stores.jdbc().sql(statement).update());
  }
}
