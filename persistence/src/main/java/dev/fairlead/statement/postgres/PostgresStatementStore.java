package dev.fairlead.statement.postgres;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.RowLevelSecurity;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.price.PriceSpans;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.resources.CapacityType;
import dev.fairlead.resources.Flavor;
import dev.fairlead.statement.StatementKey;
import dev.fairlead.statement.StatementStore;
import dev.fairlead.statement.StatementUse;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.transaction.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.YearMonth;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link StatementStore} on PostgreSQL. */
@Component
class PostgresStatementStore implements StatementStore {
  private static final SqlFile USES = SqlFile.named("statement/uses");
  private static final SqlFile SIGNED = SqlFile.named("statement/signed");
  private static final SqlFile SIGN = SqlFile.named("statement/sign");
  private static final int FETCHED = 2_000;

  private final Transactions transactions;
  private final RowLevelSecurity wall;
  private final JdbcClient jdbc;

  PostgresStatementStore(Transactions transactions, RowLevelSecurity wall, JdbcClient jdbc) {
    this.transactions = transactions;
    this.wall = wall;
    this.jdbc = jdbc;
  }

  @Override
  public void uses(TenantId tenant, PriceSpans spans, Consumer<StatementUse> each) {
    transactions.run(() -> {
      wall.enter(tenant.value());
      jdbc.sql(USES.text())
          .withFetchSize(FETCHED)
          .param("tenant", tenant.value())
          .param("begins", spans.begins().toString().replace('[', '{').replace(']', '}'))
          .param("from", spans.begins().getFirst())
          .param("to", spans.endMillis())
          .query(row -> {
            each.accept(use(row));
          });
    });
  }

  private static StatementUse use(ResultSet row) throws SQLException {
    ProjectId project = new ProjectId(Columns.uuid(row, "project"));
    QuotaNodeId queue = new QuotaNodeId(Columns.uuid(row, "queue"));
    UUID stored = Columns.uuidOrNull(row, "cluster");
    ClusterId cluster = stored == null ? null : new ClusterId(stored);
    Flavor flavor =
        new Flavor(Columns.text(row, "model"), Columns.value(row, "capacity", CapacityType.class));
    return new StatementUse(
        new StatementKey(project, queue, cluster, Columns.text(row, "pool"), flavor),
        new StatementUse.Names(
            named(row.getString("project_name"), project.text()),
            named(row.getString("queue_name"), queue.text()),
            cluster == null ? null : named(row.getString("cluster_name"), cluster.text()),
            row.getString("cost_centre")),
        row.getInt("span"),
        row.getLong("milli_ms"));
  }

  private static String named(@Nullable String name, String id) {
    return name == null ? id : name;
  }

  @Override
  public Optional<String> signed(TenantId tenant, YearMonth month) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return jdbc.sql(SIGNED.text())
          .param("tenant", tenant.value())
          .param("month", month.toString())
          .query(String.class)
          .optional();
    });
  }

  @Override
  public boolean sign(TenantId tenant, YearMonth month, String document) {
    return transactions.call(() -> {
      wall.enter(tenant.value());
      return jdbc.sql(SIGN.text())
              .param("tenant", tenant.value())
              .param("month", month.toString())
              .param("document", document)
              .update()
          == 1;
    });
  }
}
