package dev.fairlead.care.health.postgres;

import dev.fairlead.care.health.IncidentId;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.care.health.quarantine.HealthFacts;
import dev.fairlead.care.health.quarantine.Quarantine;
import dev.fairlead.care.health.quarantine.QuarantineBuilder;
import dev.fairlead.care.health.quarantine.QuarantineId;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.Id;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.work.event.FleetFact;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Rows of quarantines of nodes and GPUs, in the caller's transaction. */
@Component
class QuarantineTable {
  private static final SqlFile OF_INCIDENTS = SqlFile.named("health/quarantines-of-incidents");
  private static final SqlFile STANDING = SqlFile.named("health/standing");
  private static final SqlFile BY_ID = SqlFile.named("health/quarantines");
  private static final SqlFile WRITE = SqlFile.named("health/write-quarantines");

  private final JdbcClient jdbc;

  QuarantineTable(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /** Lists quarantines of these incidents, active or not, by id. */
  List<Quarantine> of(Collection<IncidentId> incidents) {
    return jdbc.sql(OF_INCIDENTS.text())
        .param("incidents", Json.ids(incidents.stream().map(IncidentId::value).toList()))
        .query(QuarantineTable::row)
        .list();
  }

  /** The active quarantines of the cluster, by id. */
  List<Quarantine> standing(ClusterId cluster) {
    return jdbc.sql(STANDING.text())
        .param("cluster", cluster.value())
        .query(QuarantineTable::row)
        .list();
  }

  /** The stored rows with these keys, unordered. */
  List<Quarantine> rows(Collection<QuarantineId> ids) {
    return jdbc.sql(BY_ID.text())
        .param("ids", Json.ids(ids.stream().map(QuarantineId::value).toList()))
        .query(QuarantineTable::row)
        .list();
  }

  /** Inserts or changes the rows. Returns the events of the changes, by cluster. */
  SortedMap<ClusterId, List<FleetFact>> write(Collection<Quarantine> quarantines) {
    SortedMap<QuarantineId, Quarantine> before = new TreeMap<>();
    rows(quarantines.stream().map(Quarantine::id).toList())
        .forEach(row -> before.put(row.id(), row));
    SortedMap<ClusterId, List<FleetFact>> facts = new TreeMap<>();
    RowBatch rows = new RowBatch();
    for (Quarantine quarantine : quarantines) {
      row(rows.row(), quarantine);
      facts
          .computeIfAbsent(quarantine.cluster(), _ -> new ArrayList<>())
          .addAll(HealthFacts.of(before.get(quarantine.id()), quarantine));
    }
    jdbc.sql(WRITE.text()).param("rows", rows.json()).update();
    return facts;
  }

  private static void row(RowBatch row, Quarantine quarantine) {
    row.set("id", quarantine.id().value())
        .set("cluster", quarantine.cluster().value())
        .set("node", quarantine.node().value())
        .set("gpu", quarantine.gpu())
        .set("incident", value(quarantine.incident()))
        .set("domain_quarantine", value(quarantine.domain()))
        .set("cause", quarantine.cause())
        .set("owner", quarantine.owner())
        .set("since", text(quarantine.since()))
        .set("until", text(quarantine.until()))
        .set("released_at", text(quarantine.releasedAt()))
        .set("released", quarantine.released());
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }

  private static @Nullable String value(@Nullable Id id) {
    return id == null ? null : id.value().toString();
  }

  private static Quarantine row(ResultSet row, int number) throws SQLException {
    UUID incident = Columns.uuidOrNull(row, "incident");
    UUID domain = Columns.uuidOrNull(row, "domain_quarantine");
    return QuarantineBuilder.builder()
        .id(new QuarantineId(Columns.uuid(row, "id")))
        .cluster(new ClusterId(Columns.uuid(row, "cluster")))
        .node(new NodeId(Columns.uuid(row, "node")))
        .gpu(row.getString("gpu"))
        .incident(incident == null ? null : new IncidentId(incident))
        .domain(domain == null ? null : new DomainQuarantineId(domain))
        .cause(Columns.text(row, "cause"))
        .owner(row.getString("owner"))
        .since(Columns.instant(row, "since"))
        .until(Columns.instantOrNull(row, "until"))
        .releasedAt(Columns.instantOrNull(row, "released_at"))
        .released(row.getString("released"))
        .build();
  }
}
