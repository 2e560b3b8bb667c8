package dev.fairlead.cluster.postgres;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.UUID;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** Row of {@code cluster}; documents are JSON text. */
@Entity
@Table(name = "cluster")
class ClusterEntity {
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
  long version;
}
