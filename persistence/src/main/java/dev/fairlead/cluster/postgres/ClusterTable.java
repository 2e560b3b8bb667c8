package dev.fairlead.cluster.postgres;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterId;
import dev.fairlead.postgres.Columns;
import dev.fairlead.postgres.Entities;
import dev.fairlead.postgres.Json;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Conflict.Guard;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Rows of clusters. To be used inside a transaction. */
@Component
class ClusterTable {
  private static final SqlFile UPDATE = SqlFile.named("cluster/update-cluster");
  private static final SqlFile CONFIGURE = SqlFile.named("cluster/configure-cluster");
  private static final SqlFile REMOVE = SqlFile.named("cluster/remove-cluster");
  private static final SqlFile NAME = SqlFile.named("cluster/cluster-name");
  private static final SqlFile SEEN = SqlFile.named("cluster/cluster-seen");

  private final Entities entities;
  private final JdbcClient jdbc;

  ClusterTable(Entities entities, JdbcClient jdbc) {
    this.entities = entities;
    this.jdbc = jdbc;
  }

  void insert(Cluster cluster, String connection) {
    entities.insert(
        () -> new Conflict(Guard.NAME_TAKEN, cluster.name()),
        List.of(ClusterRows.row(cluster, connection)));
  }

  void update(Cluster cluster) {
    int rows =
        jdbc.sql(UPDATE.text())
            .param("id", cluster.id().value())
            .param("state", cluster.state().name())
            .param("capabilities", Json.write(cluster.capabilities()))
            .param("seen", Columns.parameter(cluster.lastSeenAt()))
            .param("trouble", cluster.trouble())
            .param("version", cluster.version())
            .update();
    refuseUnlessOne(rows, cluster);
  }

  void configure(Cluster cluster, @Nullable String connection) {
    int rows =
        jdbc.sql(CONFIGURE.text())
            .param("id", cluster.id().value())
            .param("capacity", cluster.capacity().name())
            .param("price", Json.write(cluster.pricePerGpuHour()))
            .param("settings", Json.write(cluster.settings()))
            .param("connection", connection)
            .param("version", cluster.version())
            .update();
    refuseUnlessOne(rows, cluster);
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
    if (rows != 1) {
      throw new Conflict(Guard.VERSION, cluster.id().text());
    }
  }

  void seen(ClusterId cluster, Instant at) {
    jdbc.sql(SEEN.text()).param("id", cluster.value()).param("at", Columns.parameter(at)).update();
  }

  /** The row whose attribute, of the alias {@code c}, has the value. */
  Optional<ClusterEntity> find(String attribute, Object value) {
    return entities
        .list(
            entities
                .query("from ClusterEntity c where " + attribute + " = :value", ClusterEntity.class)
                .setParameter("value", value))
        .stream()
        .findFirst();
  }

  /** By name. */
  List<Cluster> all() {
    return entities
        .list(entities.query("from ClusterEntity c order by c.name", ClusterEntity.class))
        .stream()
        .map(ClusterRows::cluster)
        .toList();
  }
}
