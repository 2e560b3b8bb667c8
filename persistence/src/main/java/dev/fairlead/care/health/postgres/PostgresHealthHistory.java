package dev.fairlead.care.health.postgres;

import dev.fairlead.care.health.HealthHistory;
import dev.fairlead.care.health.HealthHistorySeenBuilder;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Transactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresHealthHistory implements HealthHistory {
  private static final SqlFile OF_CODE = SqlFile.named("health/events-of-code");

  private final Transactions transactions;
  private final JdbcClient jdbc;

  PostgresHealthHistory(Transactions transactions, JdbcClient jdbc) {
    this.transactions = transactions;
    this.jdbc = jdbc;
  }

  @Override
  public Excerpt of(int xid, Instant since, int most) {
    List<Seen> events = new ArrayList<>();
    Instant[] reached = {since};
    transactions.forAllTenants(() -> {
      jdbc.sql(OF_CODE.text())
          .param("xid", xid)
          .param("since", Columns.parameter(since))
          .param("most", most)
          .query(row -> {
            reached[0] = Columns.instant(row, "reached");
            if (row.getObject("node") != null) {
              events.add(seen(row));
            }
          });
      return true;
    });
    return new Excerpt(events, reached[0]);
  }

  private static Seen seen(ResultSet row) throws SQLException {
    UUID incident = Columns.uuidOrNull(row, "incident");
    return HealthHistorySeenBuilder.builder()
        .cluster(new ClusterId(Columns.uuid(row, "cluster")))
        .node(new NodeId(Columns.uuid(row, "node")))
        .nodeName(Columns.text(row, "node_name"))
        .gpu(row.getString("gpu"))
        .message(Columns.text(row, "message"))
        .at(Columns.instant(row, "at"))
        .lastAt(Columns.instant(row, "last_at"))
        .receivedAt(Columns.instant(row, "received_at"))
        .incident(incident == null ? null : new IncidentId(incident))
        .build();
  }
}
