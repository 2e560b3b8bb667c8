package dev.fairlead.care.timeline.postgres;

import dev.fairlead.care.timeline.TimelineEntry;
import dev.fairlead.care.timeline.TimelineStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link TimelineStore} on PostgreSQL. Rows of a job are read with its tenant. */
@Component
class PostgresTimelineStore implements TimelineStore {
  private static final SqlFile OF_JOB = SqlFile.named("timeline/stays-of-job");
  private static final SqlFile OF_CLUSTER = SqlFile.named("timeline/stays-of-cluster");
  private static final SqlFile OF_NODE = SqlFile.named("timeline/stays-of-node");
  private static final SqlFile ENTRIES = SqlFile.named("timeline/entries");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresTimelineStore(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public List<Stay> stays(TenantId tenant, JobId job, Instant since, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(OF_JOB.text())
            .param("job", job.value())
            .param("tenant", tenant.value())
            .param("since", Columns.parameter(since))
            .param("forever", Columns.parameter(Stay.FOREVER))
            .param("limit", limit)
            .query((row, n) -> {
              UUID node = Columns.uuidOrNull(row, "node");
              return new Stay(
                  node == null ? null : new NodeId(node),
                  new ClusterId(Columns.uuid(row, "cluster")),
                  Columns.instant(row, "since"),
                  Columns.instant(row, "until"));
            })
            .list());
  }

  @Override
  public List<Stay> stays(ClusterId cluster, Instant since, int limit) {
    return transactions.forAllTenants(() ->
        jdbc.sql(OF_CLUSTER.text())
            .param("cluster", cluster.value())
            .param("since", Columns.parameter(since))
            .param("limit", limit)
            .query((row, n) ->
                new Stay(new NodeId(Columns.uuid(row, "node")), cluster, since, Stay.FOREVER))
            .list());
  }

  @Override
  public List<Stay> stays(String text, Instant since, int limit) {
    UUID id = IdText.decode(IdKind.NODE, text).orElse(null);
    return transactions.forAllTenants(() ->
        jdbc.sql(OF_NODE.text())
            .param("id", id == null ? null : id.toString())
            .param("name", text)
            .param("limit", limit)
            .query((row, n) ->
                new Stay(
                    new NodeId(Columns.uuid(row, "id")),
                    new ClusterId(Columns.uuid(row, "cluster")),
                    since,
                    Stay.FOREVER))
            .list());
  }

  @Override
  public List<TimelineEntry> entries(
      Query query, Instant since, TimelineEntry.@Nullable Cursor after, int limit) {
    RowBatch stays = new RowBatch();
    for (Stay stay : query.stays()) {
      NodeId node = stay.node();
      stays
          .row()
          .set("node", node == null ? null : node.value().toString())
          .set("cluster", stay.cluster().value().toString())
          .set("since", stay.since().toString())
          .set("until", stay.until().toString());
    }
    JobId job = query.job();
    return transactions.forAllTenants(() ->
        jdbc.sql(ENTRIES.text())
            .param("stays", stays.json())
            .param("fleet", query.fleet())
            .param("tenant", query.tenant().value())
            .param("job", job == null ? null : job.value().toString())
            .param("from", Columns.parameter(since))
            .param("at", Columns.parameter(after == null ? since : after.at()))
            .param("source", after == null ? "" : after.source().name())
            .param("key", after == null ? "" : after.key())
            .param("limit", limit)
            .query(PostgresTimelineStore::entry)
            .list());
  }

  private static TimelineEntry entry(ResultSet row, int number) throws SQLException {
    UUID job = Columns.uuidOrNull(row, "job");
    return new TimelineEntry(
        new TimelineEntry.Cursor(
            Columns.instant(row, "at"),
            Columns.value(row, "source", TimelineEntry.Source.class),
            Columns.text(row, "key")),
        Columns.text(row, "type"),
        job == null ? null : new JobId(job),
        row.getString("node_name"),
        row.getString("actor"),
        Columns.text(row, "text"));
  }
}
