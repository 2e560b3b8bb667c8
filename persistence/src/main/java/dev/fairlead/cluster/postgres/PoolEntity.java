package dev.fairlead.cluster.postgres;

import dev.fairlead.cluster.Pool;
import dev.fairlead.cluster.PoolId;
import dev.fairlead.cluster.PoolSelector;
import dev.fairlead.cluster.Spares;
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

  @Nullable String spares;

  long version;

  static PoolEntity of(Pool pool) {
    PoolEntity row = new PoolEntity();
    row.id = pool.id().value();
    row.name = pool.name();
    row.tenant = owner(pool);
    row.selector = Json.write(pool.selector());
    row.description = pool.description();
    row.spares = text(pool.spares());
    row.version = pool.version();
    return row;
  }

  /** Null for none. */
  static @Nullable String text(Spares spares) {
    return spares.none() ? null : spares.text();
  }

  static Spares spares(@Nullable String text) {
    return text == null ? Spares.NONE : Spares.parse(text).orElse(Spares.NONE);
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
        spares(spares),
        version);
  }
}
