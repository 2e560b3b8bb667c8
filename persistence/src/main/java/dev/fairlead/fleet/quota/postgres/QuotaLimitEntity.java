package dev.fairlead.fleet.quota.postgres;

import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Persistable;

/**
 * New row of {@code quota_limit}. {@code ordinal} preserves the order of the limits in the request.
 * The limits of a node are replaced together, under the version of the node.
 */
@Entity
@Table(name = "quota_limit")
@IdClass(QuotaLimitEntity.Key.class)
class QuotaLimitEntity implements Persistable<QuotaLimitEntity.Key> {
  @Id UUID node = new UUID(0, 0);
  @Id String model = "";
  @Id String capacity = "";
  @Id String resource = "";
  @Nullable UUID tenant;
  int ordinal;
  @Nullable Long nominal;

  @Column(name = "borrowing_limit")
  @Nullable Long borrowingLimit;

  @Column(name = "lending_limit")
  @Nullable Long lendingLimit;

  @JdbcTypeCode(SqlTypes.JSON)
  @Nullable String windows;

  record Key(UUID node, String model, String capacity, String resource) {}

  static List<QuotaLimitEntity> of(QuotaNode node) {
    List<QuotaLimitEntity> rows = new ArrayList<>();
    for (QuotaLimit limit : node.limits()) {
      QuotaLimitEntity row = new QuotaLimitEntity();
      row.node = node.id().value();
      row.tenant = QuotaNodeEntity.tenant(node);
      row.model = limit.flavor().model();
      row.capacity = limit.flavor().capacity().name();
      row.resource = limit.resource();
      row.ordinal = rows.size();
      row.nominal = limit.nominal();
      row.borrowingLimit = limit.borrowingLimit();
      row.lendingLimit = limit.lendingLimit();
      row.windows = LimitWindowText.of(limit);
      rows.add(row);
    }
    return rows;
  }

  @Override
  public Key getId() {
    return new Key(node, model, capacity, resource);
  }

  @Override
  public boolean isNew() {
    return true;
  }
}
