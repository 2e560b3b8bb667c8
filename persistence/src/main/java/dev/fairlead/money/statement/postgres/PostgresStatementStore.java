package dev.fairlead.money.statement.postgres;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.statement.DeviceUse;
import dev.fairlead.money.statement.StatementStore;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.YearMonth;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresStatementStore implements StatementStore {
  private static final SqlFile DEVICES = SqlFile.named("statement/devices");
  private static final SqlFile SIGNED = SqlFile.named("statement/signed");
  private static final SqlFile SIGN = SqlFile.named("statement/sign");
  private static final UUID ZERO = new UUID(0, 0);
  private static final DeviceUse.Key BEFORE_ALL =
      new DeviceUse.Key("", new ProjectId(ZERO), new ClusterId(ZERO), new NodeId(ZERO), "");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresStatementStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public List<DeviceUse> devices(
      TenantId tenant, Instant from, Instant to, DeviceUse.@Nullable Key after, int limit) {
    DeviceUse.Key start = after == null ? BEFORE_ALL : after;
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(DEVICES.text())
                .param("tenant", tenant.value())
                .param("from", from.toEpochMilli())
                .param("to", to.toEpochMilli())
                .param("gpu", start.gpu())
                .param("project", start.project().value())
                .param("cluster", start.cluster().value())
                .param("node", start.node().value())
                .param("model", start.model())
                .param("limit", limit)
                .query((row, _) -> device(row))
                .list());
  }

  private static DeviceUse device(ResultSet row) throws SQLException {
    DeviceUse.Key key =
        new DeviceUse.Key(
            Columns.text(row, "gpu"),
            new ProjectId(Columns.uuid(row, "project")),
            new ClusterId(Columns.uuid(row, "cluster")),
            new NodeId(Columns.uuid(row, "node")),
            Columns.text(row, "model"));
    return new DeviceUse(
        key,
        new DeviceUse.Names(
            named(row.getString("project_name"), key.project().text()),
            named(row.getString("cluster_name"), key.cluster().text()),
            named(row.getString("node_name"), key.node().text())),
        row.getString("serial"),
        row.getLong("milli_ms"));
  }

  private static String named(@Nullable String name, String id) {
    return name == null ? id : name;
  }

  @Override
  public Optional<String> signed(TenantId tenant, YearMonth month) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(SIGNED.text())
                .param("tenant", tenant.value())
                .param("month", month.toString())
                .query(String.class)
                .optional());
  }

  @Override
  public boolean sign(TenantId tenant, YearMonth month, String document) {
    return transactions.inTenant(
        tenant,
        () ->
            jdbc.sql(SIGN.text())
                    .param("tenant", tenant.value())
                    .param("month", month.toString())
                    .param("document", document)
                    .update()
                == 1);
  }
}
