package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.cluster.Capabilities;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterBuilder;
import dev.fairlead.fleet.cluster.ClusterKind;
import dev.fairlead.fleet.cluster.ClusterSettings;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.ConfigRow;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.resources.CapacityType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** Row of {@code cluster}. Documents are JSON text. */
@Entity
@DynamicUpdate
@Table(name = "cluster")
class ClusterEntity extends ConfigRow<UUID> {
  @Id UUID id = new UUID(0, 0);
  String name = "";
  String kind = "";
  String state = "";

  @Column(name = "capacity_type")
  String capacityType = "";

  @JdbcTypeCode(SqlTypes.JSON)
  String price = "{}";

  @JdbcTypeCode(SqlTypes.JSON)
  String settings = "{}";

  @JdbcTypeCode(SqlTypes.JSON)
  String capabilities = "{}";

  @JdbcTypeCode(SqlTypes.JSON)
  String connection = "{}";

  @Column(name = "created_at")
  Instant createdAt = Instant.EPOCH;

  @Column(name = "last_seen_at")
  @Nullable Instant lastSeenAt;

  @Nullable String trouble;

  static ClusterEntity of(Cluster cluster, String connection) {
    ClusterEntity row = new ClusterEntity();
    row.id = cluster.id().value();
    row.name = cluster.name();
    row.kind = cluster.kind().name();
    row.createdAt = cluster.createdAt();
    row.observe(cluster);
    row.configure(cluster, connection);
    return row;
  }

  /** A row of a list, without its connection. It is not saved. */
  static ClusterEntity of(ResultSet columns) throws SQLException {
    ClusterEntity row = new ClusterEntity();
    row.id = Columns.uuid(columns, "id");
    row.name = Columns.text(columns, "name");
    row.kind = Columns.text(columns, "kind");
    row.state = Columns.text(columns, "state");
    row.capacityType = Columns.text(columns, "capacity_type");
    row.price = Columns.text(columns, "price");
    row.settings = Columns.text(columns, "settings");
    row.capabilities = Columns.text(columns, "capabilities");
    row.createdAt = Columns.instant(columns, "created_at");
    row.lastSeenAt = Columns.instantOrNull(columns, "last_seen_at");
    row.trouble = columns.getString("trouble");
    row.version = columns.getLong("version");
    return row;
  }

  /** Sets the observations of the cluster and the resulting or ordered state. */
  void observe(Cluster cluster) {
    state = cluster.state().name();
    capabilities = Json.write(cluster.capabilities());
    lastSeenAt = cluster.lastSeenAt();
    trouble = cluster.trouble();
    version = cluster.version();
  }

  /**
   * Sets what administrators change.
   *
   * @param changed new connection, null for no change
   */
  void configure(Cluster cluster, @Nullable String changed) {
    capacityType = cluster.capacity().name();
    price = Json.write(cluster.pricePerGpuHour());
    settings = Json.write(cluster.settings());
    connection = changed == null ? connection : changed;
    version = cluster.version();
  }

  Cluster cluster() {
    return ClusterBuilder.builder()
        .id(new ClusterId(id))
        .name(name)
        .kind(ClusterKind.valueOf(kind))
        .state(ClusterState.valueOf(state))
        .capacity(CapacityType.valueOf(capacityType))
        .pricePerGpuHour(Json.amounts(price))
        .settings(Json.read(settings, ClusterSettings.class))
        .capabilities(Json.read(capabilities, Capabilities.class))
        .createdAt(createdAt)
        .lastSeenAt(lastSeenAt)
        .trouble(trouble)
        .version(version)
        .build();
  }

  @Override
  public UUID getId() {
    return id;
  }
}
