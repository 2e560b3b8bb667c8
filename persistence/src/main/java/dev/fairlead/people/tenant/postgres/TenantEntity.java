package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.postgres.ConfigRow;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.hibernate.annotations.DynamicUpdate;

/** Row of {@code tenant}. */
@Entity
@DynamicUpdate
@Table(name = "tenant")
class TenantEntity extends ConfigRow<UUID> {
  @Id UUID id = new UUID(0, 0);
  String name = "";

  @Column(name = "display_name")
  String displayName = "";

  @Enumerated(EnumType.STRING)
  Tenant.State state = Tenant.State.ACTIVE;

  static TenantEntity of(Tenant tenant) {
    TenantEntity row = new TenantEntity();
    row.id = tenant.id().value();
    row.name = tenant.name();
    row.set(tenant);
    return row;
  }

  /** Changes the row to the next version. */
  void set(Tenant tenant) {
    displayName = tenant.displayName();
    state = tenant.state();
    version = tenant.version();
  }

  Tenant tenant() {
    return new Tenant(new TenantId(id), name, displayName, state, version);
  }

  @Override
  public UUID getId() {
    return id;
  }
}
