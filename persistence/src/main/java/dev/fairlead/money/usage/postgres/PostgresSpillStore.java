package dev.fairlead.money.usage.postgres;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.usage.FleetUse;
import dev.fairlead.money.usage.SpillCause;
import dev.fairlead.money.usage.SpillHour;
import dev.fairlead.money.usage.SpillReport;
import dev.fairlead.money.usage.SpillReport.Reserved;
import dev.fairlead.money.usage.SpillReport.Spilled;
import dev.fairlead.money.usage.SpillStore;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresSpillStore implements SpillStore {
  private static final SqlFile SPILL = SqlFile.named("usage/spill-report");
  private static final SqlFile RESERVED = SqlFile.named("usage/reserved-report");
  private static final SqlFile HOURS = SqlFile.named("usage/spill-hours");
  private static final SqlFile RESERVED_USE = SqlFile.named("usage/reserved-use");
  private static final SqlFile OPEN = SqlFile.named("usage/open");
  private static final int FETCHED = 2_000;

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresSpillStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  private record ReservedKey(@Nullable String tenant, String model) {}

  private record SpilledKey(String tenant, String model, CapacityType capacity) {}

  @Override
  public SpillReport spill(@Nullable TenantId tenant, Instant from, Instant to) {
    if (tenant == null) {
      return transactions.forAllTenants(() -> report(null, from, to));
    }
    return transactions.inTenant(tenant, () -> report(tenant.value(), from, to));
  }

  @Override
  public void hours(TenantId tenant, Instant from, Instant to, Consumer<SpillHour> each) {
    transactions.runInTenant(
        tenant,
        () -> {
          statement(HOURS, tenant.value(), from, to)
              .withFetchSize(FETCHED)
              .query(row -> {
                each.accept(
                    new SpillHour(
                        Columns.text(row, "model"),
                        row.getLong("hour_ms"),
                        row.getLong("spilled"),
                        row.getLong("free")));
              });
        });
  }

  @Override
  public void reservedUse(Instant from, Instant to, Consumer<FleetUse> each) {
    boolean _ =
        transactions.forAllTenants(() -> {
          jdbc.sql(RESERVED_USE.text())
              .param("from", from.toEpochMilli())
              .param("to", to.toEpochMilli())
              .withFetchSize(FETCHED)
              .query(row -> {
                each.accept(
                    new FleetUse(
                        row.getLong("hour_ms"),
                        new ClusterId(Columns.uuid(row, "cluster")),
                        Columns.text(row, "pool"),
                        new Flavor(Columns.text(row, "model"), CapacityType.RESERVED),
                        row.getLong("milli_ms")));
              });
          return true;
        });
  }

  private SpillReport report(@Nullable UUID tenant, Instant from, Instant to) {
    long open = jdbc.sql(OPEN.text()).query(Long.class).single();
    return new SpillReport(
        Instant.ofEpochMilli(open), reserved(tenant, from, to), spilled(tenant, from, to));
  }

  private JdbcClient.StatementSpec statement(
      SqlFile file, @Nullable UUID tenant, Instant from, Instant to) {
    return jdbc.sql(file.text())
        .param("tenant", tenant, Types.OTHER)
        .param("from", from.toEpochMilli())
        .param("to", to.toEpochMilli());
  }

  private List<Reserved> reserved(@Nullable UUID tenant, Instant from, Instant to) {
    Map<ReservedKey, Map<UsageBucket, Long>> all = new LinkedHashMap<>();
    statement(RESERVED, tenant, from, to)
        .query(row -> {
          all.computeIfAbsent(
                  new ReservedKey(name(row), Columns.text(row, "model")),
                  k -> new EnumMap<>(UsageBucket.class))
              .put(Columns.value(row, "bucket", UsageBucket.class), row.getLong("milli_ms"));
        });
    return all.entrySet().stream()
        .map(e -> new Reserved(e.getKey().tenant(), e.getKey().model(), e.getValue()))
        .toList();
  }

  private List<Spilled> spilled(@Nullable UUID tenant, Instant from, Instant to) {
    Map<SpilledKey, Map<SpillCause, Long>> all = new LinkedHashMap<>();
    statement(SPILL, tenant, from, to)
        .query(row -> {
          all.computeIfAbsent(
                  new SpilledKey(
                      String.valueOf(name(row)),
                      Columns.text(row, "model"),
                      Columns.value(row, "capacity", CapacityType.class)),
                  k -> new EnumMap<>(SpillCause.class))
              .put(Columns.value(row, "cause", SpillCause.class), row.getLong("milli_ms"));
        });
    return all.entrySet().stream()
        .map(e ->
            new Spilled(
                e.getKey().tenant(), e.getKey().model(), e.getKey().capacity(), e.getValue()))
        .toList();
  }

  /** Name of the tenant, or its id after its deletion, null if none. */
  private static @Nullable String name(ResultSet row) throws SQLException {
    UUID tenant = row.getObject("tenant", UUID.class);
    String name = row.getString("tenant_name");
    return tenant == null || name != null ? name : new TenantId(tenant).text();
  }
}
