package dev.fairlead.money.statement.postgres;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.price.PriceSpans;
import dev.fairlead.money.statement.IdleCostPolicy;
import dev.fairlead.money.statement.IdleCostStore;
import dev.fairlead.money.statement.IdleRule;
import dev.fairlead.money.statement.IdleUse;
import dev.fairlead.money.statement.TenantUse;
import dev.fairlead.money.usage.UsageBucket;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresIdleCostStore implements IdleCostStore {
  private static final SqlFile POLICIES = SqlFile.named("statement/idle-policies");
  private static final SqlFile INSERT = SqlFile.named("statement/insert-idle-policy");
  private static final SqlFile IDLE = SqlFile.named("statement/idle");
  private static final SqlFile USES = SqlFile.named("statement/idle-uses");
  private static final int FETCHED = 2_000;

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresIdleCostStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public List<IdleCostPolicy> policies() {
    return transactions.forAllTenants(() -> {
      SortedMap<Long, IdleCostPolicy> found = new TreeMap<>();
      jdbc.sql(POLICIES.text())
          .query(row -> {
            found.merge(row.getLong("seq"), policy(row), PostgresIdleCostStore::withWeights);
          });
      return List.copyOf(found.values());
    });
  }

  /** Includes the weight of the row's tenant, if it has one. */
  private static IdleCostPolicy policy(ResultSet row) throws SQLException {
    SortedMap<TenantId, Long> weights = new TreeMap<>();
    String tenant = row.getString("tenant");
    if (tenant != null) {
      weights.put(new TenantId(UUID.fromString(tenant)), row.getLong("weight"));
    }
    return new IdleCostPolicy(
        YearMonth.parse(Columns.text(row, "from_month")),
        Columns.value(row, "idle", IdleRule.class),
        Columns.value(row, "out_of_service", IdleRule.class),
        weights,
        Columns.text(row, "recorded_by"),
        row.getObject("recorded_at", OffsetDateTime.class).toInstant());
  }

  private static IdleCostPolicy withWeights(IdleCostPolicy policy, IdleCostPolicy more) {
    SortedMap<TenantId, Long> weights = new TreeMap<>(policy.weights());
    weights.putAll(more.weights());
    return new IdleCostPolicy(
        policy.from(),
        policy.idle(),
        policy.outOfService(),
        weights,
        policy.by(),
        policy.recordedAt());
  }

  @Override
  public void insert(IdleCostPolicy policy) {
    int _ =
        transactions.forAllTenants(() ->
            jdbc.sql(INSERT.text())
                .param("from", policy.from().toString())
                .param("idle", policy.idle().name())
                .param("outOfService", policy.outOfService().name())
                .param("tenants", array(policy.weights().keySet().stream().map(TenantId::value)))
                .param("weights", array(policy.weights().values().stream()))
                .param("by", policy.by())
                .param("at", policy.recordedAt().atOffset(ZoneOffset.UTC))
                .update());
  }

  private static String array(Stream<?> values) {
    return values.map(String::valueOf).collect(Collectors.joining(",", "{", "}"));
  }

  private JdbcClient.StatementSpec of(SqlFile file, PriceSpans spans) {
    return jdbc.sql(file.text())
        .param("from", spans.begins().getFirst())
        .param("to", spans.endMillis());
  }

  @Override
  public void idle(PriceSpans spans, Consumer<IdleUse> each) {
    boolean _ =
        transactions.forAllTenants(() -> {
          of(IDLE, spans)
              .param("begins", array(spans.begins().stream()))
              .withFetchSize(FETCHED)
              .query(row -> {
                each.accept(idle(row));
              });
          return true;
        });
  }

  private static IdleUse idle(ResultSet row) throws SQLException {
    UUID owner = Columns.uuidOrNull(row, "owner");
    return new IdleUse(
        row.getInt("span"),
        new ClusterId(Columns.uuid(row, "cluster")),
        Columns.text(row, "pool"),
        owner == null ? null : new TenantId(owner),
        new Flavor(Columns.text(row, "model"), Columns.value(row, "capacity", CapacityType.class)),
        Columns.value(row, "bucket", UsageBucket.class),
        row.getLong("milli_ms"));
  }

  @Override
  public List<TenantUse> uses(PriceSpans spans) {
    return transactions.forAllTenants(() ->
        of(USES, spans)
            .query((row, n) ->
                new TenantUse(
                    new TenantId(Columns.uuid(row, "tenant")),
                    Columns.text(row, "model"),
                    row.getLong("milli_ms")))
            .list());
  }
}
