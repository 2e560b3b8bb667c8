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
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
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

  /** Returns the cluster before the change. */
  Cluster update(Cluster cluster) {
    AtomicReference<Cluster> before = new AtomicReference<>();
    change(
        cluster,
        row -> {
          before.set(row.cluster());
          row.observe(cluster);
        });
    return Objects.requireNonNull(before.get(), "the row was loaded");
  }

  void configure(Cluster cluster, @Nullable String connection) {
    change(cluster, row -> row.configure(cluster, connection));
  }

  private void change(Cluster cluster, Consumer<ClusterEntity> change) {
    rows.change(
        cluster.id().value(),
        cluster.version() - 1,
        () -> new Conflict(Guard.VERSION, cluster.id().text()),
        change);
  }

  void remove(Cluster cluster) {
    int rows =
        jdbc.sql(REMOVE.text())
            .param("id", cluster.id().value())
            .param("version", cluster.version())
            .update();
    Conflict.unlessOne(rows, Guard.VERSION, cluster.id().text());
  }

  Optional<String> name(ClusterId id) {
    return jdbc.sql(NAME.text()).param("id", id.value()).query(String.class).optional();
  }

  void seen(ClusterId cluster, Instant at) {
    jdbc.sql(SEEN.text()).param("id", cluster.value()).param("at", Columns.parameter(at)).update();
  }

  Optional<Cluster> cluster(ClusterId id) {
    return rows.findById(id.value()).map(ClusterEntity::cluster);
  }

  Optional<Cluster> named(String name) {
    return rows.findByName(name).map(ClusterEntity::cluster);
  }

  /** The sealed connection. */
  String connection(ClusterId id) {
    return rows.connection(id.value()).orElseThrow();
  }

  /** By name. Some ten loops read them every second or two. */
  List<Cluster> all() {
    return jdbc.sql(ALL.text()).query((row, n) -> ClusterEntity.of(row).cluster()).list();
  }
}
