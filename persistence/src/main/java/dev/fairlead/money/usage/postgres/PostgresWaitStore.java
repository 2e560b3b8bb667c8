package dev.fairlead.money.usage.postgres;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.money.usage.HourBook;
import dev.fairlead.money.usage.HourDifference;
import dev.fairlead.money.usage.UsageQuery;
import dev.fairlead.money.usage.WaitQuery;
import dev.fairlead.money.usage.WaitQuery.Group;
import dev.fairlead.money.usage.WaitRow;
import dev.fairlead.money.usage.WaitStore;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresWaitStore implements WaitStore {
  private static final SqlFile END = SqlFile.named("usage/end-waits");
  private static final SqlFile BEGIN = SqlFile.named("usage/begin-waits");
  private static final SqlFile FORGET = SqlFile.named("usage/forget-wait-hour");
  private static final SqlFile WRITE = SqlFile.named("usage/write-wait-hour");
  private static final SqlFile DIFFERENCES = SqlFile.named("usage/wait-differences");
  private static final SqlFile REPORT = SqlFile.named("usage/wait-report");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresWaitStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public void look(long nowMillis) {
    int _ =
        transactions.forAllTenants(() -> {
          int ended = jdbc.sql(END.text()).param("now", nowMillis).update();
          return ended + jdbc.sql(BEGIN.text()).param("now", nowMillis).update();
        });
  }

  @Override
  public void write(long hourMillis, long toMillis) {
    int _ =
        transactions.forAllTenants(() -> {
          int gone = jdbc.sql(FORGET.text()).param("hour", hourMillis).update();
          return gone
              + jdbc.sql(WRITE.text()).param("hour", hourMillis).param("to", toMillis).update();
        });
  }

  @Override
  public List<HourDifference> differences(long hourMillis) {
    return transactions.forAllTenants(() ->
        jdbc.sql(DIFFERENCES.text())
            .param("hour", hourMillis)
            .param("to", hourMillis + HourBook.HOUR_MILLIS)
            .query((row, n) ->
                new HourDifference(hourMillis, key(row), row.getLong("stored"), row.getLong("due")))
            .list());
  }

  private static SortedMap<String, String> key(ResultSet row) throws SQLException {
    SortedMap<String, String> key = new TreeMap<>();
    key.put("tenant", new TenantId(Columns.uuid(row, "tenant")).text());
    key.put("project", new ProjectId(Columns.uuid(row, "project")).text());
    key.put("queue", new QuotaNodeId(Columns.uuid(row, "queue")).text());
    key.put("cause", Columns.text(row, "reason"));
    return key;
  }

  @Override
  public List<WaitRow> report(WaitQuery query) {
    return transactions.inTenant(
        query.tenant(),
        () -> {
          List<WaitRow> rows = new ArrayList<>();
          for (UsageQuery.Part part : query.parts()) {
            int left = query.limit() - rows.size();
            if (left > 0) {
              rows.addAll(statement(query, part, left).query((row, n) -> row(row, query)).list());
            }
          }
          return rows;
        });
  }

  private JdbcClient.StatementSpec statement(WaitQuery query, UsageQuery.Part part, int limit) {
    JdbcClient.StatementSpec statement =
        jdbc.sql(REPORT.text())
            .param("tenant", query.tenant().value())
            .param("everyProject", query.projects() == null)
            .param("projects", PostgresUsageStore.ids(query.projects()))
            .param("period", query.period().name().toLowerCase(Locale.ROOT))
            .param("from", part.from().toEpochMilli())
            .param("to", part.to().toEpochMilli())
            .param("limit", limit);
    for (Group group : Group.values()) {
      statement = statement.param("by" + group.name(), query.groups().contains(group));
    }
    return statement;
  }

  private static WaitRow row(ResultSet row, WaitQuery query) throws SQLException {
    SortedMap<Group, String> group = new TreeMap<>();
    for (Group each : query.groups()) {
      group.put(each, value(row, each));
    }
    return new WaitRow(
        Instant.ofEpochMilli(row.getLong("begin_ms")),
        group,
        row.getLong("wait_ms"),
        row.getBoolean("preliminary"));
  }

  private static String value(ResultSet row, Group group) throws SQLException {
    return switch (group) {
      case PROJECT ->
          PostgresUsageStore.named(
              row.getString("project_name"), new ProjectId(Columns.uuid(row, "project")));
      case QUEUE ->
          PostgresUsageStore.named(
              row.getString("queue_name"), new QuotaNodeId(Columns.uuid(row, "queue")));
      case CAUSE -> Columns.text(row, "reason");
    };
  }
}
