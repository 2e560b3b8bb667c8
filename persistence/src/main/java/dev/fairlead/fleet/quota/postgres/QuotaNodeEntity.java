package dev.fairlead.fleet.quota.postgres;

import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.postgres.ConfigRow;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.jspecify.annotations.Nullable;

/** Row of {@code quota_node}. Without a tenant it belongs to the platform. */
@Entity
@DynamicUpdate
@Table(name = "quota_node")
class QuotaNodeEntity extends ConfigRow<UUID> {
  @Id UUID id = new UUID(0, 0);
  @Nullable UUID tenant;
  @Nullable UUID parent;
  int depth;
  @Embedded @Nullable QuotaNodeColumns columns;

  static QuotaNodeEntity of(QuotaNode node) {
    QuotaNodeEntity row = new QuotaNodeEntity();
    QuotaNodeId parent = node.parent();
    row.id = node.id().value();
    row.tenant = tenant(node);
    row.parent = parent == null ? null : parent.value();
    row.depth = node.depth();
    row.set(node);
    return row;
  }

  /** Changes the row to the next version. */
  void set(QuotaNode node) {
    columns = QuotaNodeColumns.of(node);
    version = node.version();
  }

  /** The result is null for a node of the platform. */
  static @Nullable UUID tenant(QuotaNode node) {
    return node.ofFleet() ? null : node.tenant().value();
  }

  @Override
  public UUID getId() {
    return id;
  }
}
