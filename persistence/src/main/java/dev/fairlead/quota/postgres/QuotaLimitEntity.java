package dev.fairlead.quota.postgres;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Row of {@code quota_limit}; {@code ordinal} keeps the order in which limits were given. */
@Entity
@Table(name = "quota_limit")
@IdClass(QuotaLimitEntity.Key.class)
class QuotaLimitEntity {
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

  /** Which limit. */
  record Key(UUID node, String model, String capacity, String resource) {}
}
