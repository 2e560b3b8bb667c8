package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.NewRow;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** New row of {@code cluster}. Documents are JSON text. */
@Entity
@Table(name = "cluster")
class ClusterEntity implements NewRow<UUID> {
  @Id UUID id = new UUID(0, 0);
  String name = "";
  String kind = "";
  @Embedded Configured configured = new Configured("", "{}", "{}");
  @Embedded Observed observed = new Observed("", "{}", null, null);

  @JdbcTypeCode(SqlTypes.JSON)
  String connection = "{}";

  @Column(name = "created_at")
  Instant createdAt = Instant.EPOCH;

  @Version long version = 1;

  /** Columns that administrators change, except its connection. */
  @Embeddable
  record Configured(
      @Column(name = "capacity_type") String capacityType,
      @JdbcTypeCode(SqlTypes.JSON) String price,
      @JdbcTypeCode(SqlTypes.JSON) String settings) {
    static Configured of(Cluster cluster) {
      return new Configured(
          cluster.capacity().name(),
          Json.write(cluster.pricePerGpuHour()),
          Json.write(cluster.settings()));
    }
  }

  /** Observations of the cluster, and the resulting or ordered state. */
  @Embeddable
  record Observed(
      String state,
      @JdbcTypeCode(SqlTypes.JSON) String capabilities,
      @Column(name = "last_seen_at") @Nullable Instant lastSeenAt,
      @Nullable String trouble) {
    static Observed of(Cluster cluster) {
      return new Observed(
          cluster.state().name(),
          Json.write(cluster.capabilities()),
          cluster.lastSeenAt(),
          cluster.trouble());
    }
  }

  static ClusterEntity of(Cluster cluster, String connection) {
    ClusterEntity row = new ClusterEntity();
    row.id = cluster.id().value();
    row.name = cluster.name();
    row.kind = cluster.kind().name();
    row.configured = Configured.of(cluster);
    row.observed = Observed.of(cluster);
    row.connection = connection;
    row.createdAt = cluster.createdAt();
    row.version = cluster.version();
    return row;
  }

  @Override
  public UUID getId() {
    return id;
  }
}
