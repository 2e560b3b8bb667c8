package dev.fairlead.care.health.postgres;

import dev.fairlead.care.health.quarantine.DomainQuarantine;
import dev.fairlead.care.health.quarantine.DomainQuarantineBuilder;
import dev.fairlead.care.health.quarantine.DomainQuarantineId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Rows of domain quarantines, in the caller's transaction. */
@Component
class DomainQuarantineTable {
  private static final SqlFile STANDING = SqlFile.named("health/domains-of-all");
  private static final SqlFile STANDING_IN = SqlFile.named("health/domains");
  private static final SqlFile OF_CLUSTER = SqlFile.named("health/domains-of-cluster");
  private static final SqlFile ONE = SqlFile.named("health/domain");
  private static final SqlFile COVERED = SqlFile.named("health/covered");
  private static final SqlFile INSERT = SqlFile.named("health/insert-domain");
  private static final SqlFile UPDATE = SqlFile.named("health/update-domain");

  private final JdbcClient jdbc;

  DomainQuarantineTable(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  List<DomainQuarantine> standing() {
    return jdbc.sql(STANDING.text()).query(DomainQuarantineTable::row).list();
  }

  List<DomainQuarantine> standing(ClusterId cluster) {
    return jdbc.sql(STANDING_IN.text())
        .param("cluster", cluster.value())
        .query(DomainQuarantineTable::row)
        .list();
  }

  List<DomainQuarantine> of(
      ClusterId cluster, boolean standing, @Nullable DomainQuarantineId before, int limit) {
    return jdbc.sql(OF_CLUSTER.text())
        .param("cluster", cluster.value())
        .param("standing", standing)
        .param("before", before == null ? null : before.value().toString())
        .param("limit", limit)
        .query(DomainQuarantineTable::row)
        .list();
  }

  Optional<DomainQuarantine> one(DomainQuarantineId id) {
    return jdbc.sql(ONE.text())
        .param("id", id.value())
        .query(DomainQuarantineTable::row)
        .optional();
  }

  SortedMap<DomainQuarantineId, Integer> covered(Collection<DomainQuarantineId> ids) {
    SortedMap<DomainQuarantineId, Integer> covered = new TreeMap<>();
    ids.forEach(id -> covered.put(id, 0));
    jdbc.sql(COVERED.text())
        .param("ids", Json.ids(ids.stream().map(DomainQuarantineId::value).toList()))
        .query(row -> {
          covered.put(new DomainQuarantineId(Columns.uuid(row, "id")), row.getInt("nodes"));
        });
    return covered;
  }

  void insert(DomainQuarantine quarantine) {
    Constraints.unique(
        () -> {
          int _ =
              changing(INSERT, quarantine)
                  .param("cluster", quarantine.cluster().value())
                  .param("level", quarantine.level())
                  .param("domain", quarantine.domain())
                  .param("since", Columns.parameter(quarantine.since()))
                  .update();
        },
        () -> new Conflict(Conflict.Guard.NAME_TAKEN, quarantine.name()));
  }

  void update(DomainQuarantine quarantine) {
    Conflict.unlessOne(
        changing(UPDATE, quarantine).update(), Conflict.Guard.VERSION, quarantine.id().text());
  }

  private JdbcClient.StatementSpec changing(SqlFile statement, DomainQuarantine quarantine) {
    return jdbc.sql(statement.text())
        .param("id", quarantine.id().value())
        .param("reason", quarantine.reason())
        .param("owner", quarantine.owner())
        .param("until", Columns.parameter(quarantine.until()))
        .param("released_at", Columns.parameter(quarantine.releasedAt()))
        .param("released", quarantine.released())
        .param("version", quarantine.version());
  }

  private static DomainQuarantine row(ResultSet row, int number) throws SQLException {
    return DomainQuarantineBuilder.builder()
        .id(new DomainQuarantineId(Columns.uuid(row, "id")))
        .cluster(new ClusterId(Columns.uuid(row, "cluster")))
        .level(Columns.text(row, "level"))
        .domain(Columns.text(row, "domain"))
        .reason(Columns.text(row, "reason"))
        .owner(Columns.text(row, "owner"))
        .since(Columns.instant(row, "since"))
        .until(Columns.instantOrNull(row, "until"))
        .releasedAt(Columns.instantOrNull(row, "released_at"))
        .released(row.getString("released"))
        .version(row.getLong("version"))
        .build();
  }
}
