package dev.fairlead.money.statement.postgres;

import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.statement.IdleCostPolicy;
import dev.fairlead.money.statement.IdleCostStore;
import dev.fairlead.money.statement.IdleRule;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresIdleCostStore implements IdleCostStore {
  private static final SqlFile POLICIES = SqlFile.named("statement/idle-policies");
  private static final SqlFile INSERT = SqlFile.named("statement/insert-idle-policy");

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
}
