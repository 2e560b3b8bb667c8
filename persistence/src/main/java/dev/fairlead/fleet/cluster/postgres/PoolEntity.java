package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.kernel.postgres.ConfigRow;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.people.tenant.TenantId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** Row of {@code pool}. */
@Entity
@DynamicUpdate
@Table(name = "pool")
class PoolEntity extends ConfigRow<UUID> {
  @Id UUID id = new UUID(0, 0);
  String name = "";
  @Nullable UUID tenant;

  /** JSON text. */
  @JdbcTypeCode(SqlTypes.JSON)
  String selector = "{}";

  String description = "";
  @Nullable String spares;

  /** JSON text. */
  @JdbcTypeCode(SqlTypes.JSON)
  @Nullable String windows;

  static PoolEntity of(Pool pool) {
    PoolEntity row = new PoolEntity();
    row.id = pool.id().value();
    row.name = pool.name();
    row.set(pool);
    return row;
  }

  /** Changes the row to the next version. */
  void set(Pool pool) {
    TenantId owner = pool.tenant();
    tenant = owner == null ? null : owner.value();
    selector = Json.write(pool.selector());
    description = pool.description();
    spares = text(pool.spares());
    windows = WindowsText.of(pool.windows());
    version = pool.version();
  }

  /** Null for none. */
  static @Nullable String text(Spares spares) {
    return spares.none() ? null : spares.text();
  }

  static Spares spares(@Nullable String text) {
    return text == null ? Spares.NONE : Spares.parse(text).orElse(Spares.NONE);
  }

  @Override
  public UUID getId() {
    return id;
  }
}
