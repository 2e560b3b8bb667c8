package dev.fairlead.fleet.quota.postgres;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.postgres.NewRow;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** New row of {@code quota_node}. Without a tenant it belongs to the platform. */
@Entity
@Table(name = "quota_node")
class QuotaNodeEntity implements NewRow<UUID> {
  @Id UUID id = new UUID(0, 0);
  @Nullable UUID tenant;
  @Nullable UUID parent;
  int depth;
  @Embedded @Nullable QuotaNodeColumns columns;
  @Version long version = 1;

  static QuotaNodeEntity of(QuotaNode node) {
    QuotaNodeEntity row = new QuotaNodeEntity();
    QuotaNodeId parent = node.parent();
    row.id = node.id().value();
    row.tenant = tenant(node);
    row.parent = parent == null ? null : parent.value();
    row.depth = node.depth();
    row.columns = QuotaNodeColumns.of(node);
    row.version = node.version();
    return row;
  }

  /** Null for a node of the platform. */
  static @Nullable UUID tenant(QuotaNode node) {
    return node.ofFleet() ? null : node.tenant().value();
  }

  @Override
  public UUID getId() {
    return id;
  }
}
