package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Rows of clusters. Requires an open transaction. */
@Component
class ClusterTable {
  private static final SqlFile REMOVE = SqlFile.named("cluster/remove-cluster");
  private static final SqlFile NAME = SqlFile.named("cluster/cluster-name");
  private static final SqlFile ALL = SqlFile.named("cluster/clusters");
  private static final SqlFile SEEN = SqlFile.named("cluster/cluster-seen");

  private final ClusterRepository rows;
  private final JdbcClient jdbc;

  ClusterTable(ClusterRepository rows, JdbcClient jdbc) {
    this.rows = rows;
    this.jdbc = jdbc;
  }

  void insert(Cluster cluster, String connection) {
    Constraints.unique(
        () -> rows.saveAndFlush(ClusterEntity.of(cluster, connection)),
        () -> new Conflict(Guard.NAME_TAKEN, cluster.name()));
  }

  void update(Cluster cluster) {
    ClusterEntity.Observed observed = ClusterEntity.Observed.of(cluster);
    refuseUnlessOne(rows.observe(cluster.id().value(), cluster.version() - 1, observed), cluster);
  }

  void configure(Cluster cluster, @Nullable String connection) {
    ClusterEntity.Configured configured = ClusterEntity.Configured.of(cluster);
    refuseUnlessOne(
        rows.configure(cluster.id().value(), cluster.version() - 1, configured, connection),
        cluster);
  }

  void remove(Cluster cluster) {
    int rows =
        jdbc.sql(REMOVE.text())
            .param("id", cluster.id().value())
            .param("version", cluster.version())
            .update();
    refuseUnlessOne(rows, cluster);
  }

  Optional<String> name(ClusterId id) {
    return jdbc.sql(NAME.text()).param("id", id.value()).query(String.class).optional();
  }

  private static void refuseUnlessOne(int rows, Cluster cluster) {
    Conflict.unlessOne(rows, Guard.VERSION, cluster.id().text());
  }

  void seen(ClusterId cluster, Instant at) {
    jdbc.sql(SEEN.text()).param("id", cluster.value()).param("at", Columns.parameter(at)).update();
  }

  Optional<Cluster> cluster(ClusterId id) {
    return rows.findRowById(id.value()).map(ClusterRow::cluster);
  }

  Optional<Cluster> named(String name) {
    return rows.findByName(name).map(ClusterRow::cluster);
  }

  /** The sealed connection. */
  String connection(ClusterId id) {
    return rows.connection(id.value()).orElseThrow();
  }

  /** By name. Some ten loops read them every second or two. */
  List<Cluster> all() {
    return jdbc.sql(ALL.text()).query((row, n) -> ClusterRow.of(row).cluster()).list();
  }
}
