package dev.fairlead.cluster.postgres;

import dev.fairlead.cluster.Pool;
import dev.fairlead.cluster.PoolId;
import dev.fairlead.cluster.PoolSelector;
import dev.fairlead.postgres.Json;
import dev.fairlead.tenant.TenantId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** Row of {@code pool}; the selector is JSON text. */
@Entity
@Table(name = "pool")
class PoolEntity {
  @Id UUID id = new UUID(0, 0);
  String name = "";
  @Nullable UUID tenant;

  @JdbcTypeCode(SqlTypes.JSON)
  String selector = "{}";

  String description = "";

  long version;

  static PoolEntity of(Pool pool) {
    PoolEntity row = new PoolEntity();
    row.id = pool.id().value();
    row.name = pool.name();
    row.tenant = owner(pool);
    row.selector = Json.write(pool.selector());
    row.description = pool.description();
    row.version = pool.version();
    return row;
  }

  static @Nullable UUID owner(Pool pool) {
    TenantId owner = pool.tenant();
    return owner == null ? null : owner.value();
  }

  Pool pool() {
    return new Pool(
        new PoolId(id),
        name,
        tenant == null ? null : new TenantId(tenant),
        Json.read(selector, PoolSelector.class),
        description,
        version);
  }
}
