package dev.fairlead.care.health.postgres;

import dev.fairlead.care.health.Incident;
import dev.fairlead.care.health.IncidentId;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.SqlFile;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Times of health events, and of releases of nodes. */
final class EventTimes {
  private static final SqlFile SEEN = SqlFile.named("health/seen");
  private static final SqlFile SHOWN = SqlFile.named("health/shown");

  private static final SqlFile RELEASED = SqlFile.named("health/released");

  private final JdbcClient jdbc;

  EventTimes(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  List<Instant> seen(ClusterId cluster, String gpu, int xid, Instant from, Instant to) {
    return jdbc.sql(SEEN.text())
        .param("cluster", cluster.value())
        .param("gpu", gpu)
        .param("xid", xid)
        .param("from", Columns.parameter(from))
        .param("to", Columns.parameter(to))
        .query((row, n) -> Columns.instant(row, "at"))
        .list();
  }

  SortedMap<NodeId, Instant> released(Set<NodeId> nodes, Instant after) {
    SortedMap<NodeId, Instant> released = new TreeMap<>();
    jdbc.sql(RELEASED.text())
        .param("nodes", nodes.stream().map(NodeId::value).toArray(UUID[]::new))
        .param("after", Columns.parameter(after))
        .param("cleared", Incident.CLEARED)
        .query((row, n) ->
            Map.entry(new NodeId(Columns.uuid(row, "node")), Columns.instant(row, "at")))
        .list()
        .forEach(each -> released.put(each.getKey(), each.getValue()));
    return released;
  }

  boolean shown(IncidentId incident, Instant since) {
    return jdbc.sql(SHOWN.text())
        .param("incident", incident.value())
        .param("since", Columns.parameter(since))
        .query(Boolean.class)
        .single();
  }
}
