package dev.fairlead.health.postgres;

import dev.fairlead.health.IncidentId;
import dev.fairlead.identity.ClusterId;
import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.SqlFile;
import java.time.Instant;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** When events were, in the table {@code health_event}. */
final class EventTimes {
  private static final SqlFile SEEN = SqlFile.named("health/seen");
  private static final SqlFile SHOWN = SqlFile.named("health/shown");

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

  boolean shown(IncidentId incident, Instant since) {
    return jdbc.sql(SHOWN.text())
        .param("incident", incident.value())
        .param("since", Columns.parameter(since))
        .query(Boolean.class)
        .single();
  }
}
