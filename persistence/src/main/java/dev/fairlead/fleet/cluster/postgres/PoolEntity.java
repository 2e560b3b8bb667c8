package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.NewRow;
import dev.fairlead.people.tenant.TenantId;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.UUID;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** New row of {@code pool}. */
@Entity
@Table(name = "pool")
class PoolEntity implements NewRow<UUID> {
  @Id UUID id = new UUID(0, 0);
  String name = "";
  @Embedded Changeable changeable = new Changeable(null, "{}", "", null, null);
  @Version long version = 1;

  /**
   * Changeable columns.
   *
   * @param selector JSON text
   * @param spares null if none
   * @param windows JSON text, null if none
   */
  @Embeddable
  record Changeable(
      @Nullable UUID tenant,
      @JdbcTypeCode(SqlTypes.JSON) String selector,
      String description,
      @Nullable String spares,
      @JdbcTypeCode(SqlTypes.JSON) @Nullable String windows) {
    static Changeable of(Pool pool) {
      TenantId owner = pool.tenant();
      return new Changeable(
          owner == null ? null : owner.value(),
          Json.write(pool.selector()),
          pool.description(),
          text(pool.spares()),
          WindowsText.of(pool.windows()));
    }
  }

  static PoolEntity of(Pool pool) {
    PoolEntity row = new PoolEntity();
    row.id = pool.id().value();
    row.name = pool.name();
    row.changeable = Changeable.of(pool);
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

  @Override
  public UUID getId() {
    return id;
  }
}
