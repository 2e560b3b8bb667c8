package dev.fairlead.money.usage.postgres;

import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.usage.UsageLabelStore;
import dev.fairlead.money.usage.UsageLabels;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresUsageLabelStore implements UsageLabelStore {
  private static final SqlFile NAMED = SqlFile.named("usage/named-labels");
  private static final SqlFile EVER_NAMED = SqlFile.named("usage/ever-named");
  private static final SqlFile LOCK = SqlFile.named("usage/lock-label-names");
  private static final SqlFile NAME = SqlFile.named("usage/name-labels");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresUsageLabelStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  private <T> T of(TenantId tenant, SqlFile file, Function<JdbcClient.StatementSpec, T> work) {
    return transactions.inTenant(
        tenant, () -> work.apply(jdbc.sql(file.text()).param("tenant", tenant.value())));
  }

  @Override
  public List<UsageLabels> named(TenantId tenant, int most) {
    return of(
        tenant, NAMED, named -> named.param("most", most).query((row, n) -> labels(row)).list());
  }

  /** Quoted, because an unquoted key may be read as null. */
  private static String array(List<String> keys) {
    return keys.stream().collect(Collectors.joining("\",\"", "{\"", "\"}")).replace("{\"\"}", "{}");
  }

  private static UsageLabels labels(ResultSet row) throws SQLException {
    return new UsageLabels(
        Instant.ofEpochMilli(row.getLong("from_ms")),
        List.of((String[]) row.getArray("keys").getArray()),
        Columns.text(row, "named_by"));
  }

  @Override
  public boolean everNamed(TenantId tenant, String key) {
    return of(tenant, EVER_NAMED, ever -> ever.param("key", key).query(Boolean.class).single());
  }

  @Override
  public void lock(TenantId tenant) {
    boolean _ = of(tenant, LOCK, lock -> lock.query(Boolean.class).single());
  }

  @Override
  public void put(TenantId tenant, UsageLabels labels) {
    int _ =
        of(
            tenant,
            NAME,
            name ->
                name.param("from", labels.from().toEpochMilli())
                    .param("keys", array(labels.keys()))
                    .param("by", labels.by())
                    .update());
  }
}
