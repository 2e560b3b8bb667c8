package dev.fairlead.tenant.postgres;

import dev.fairlead.tenant.Tenant;
import dev.fairlead.tenant.TenantId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;

/** Row of {@code tenant}. */
@Entity
@Table(name = "tenant")
class TenantEntity {
  @Id UUID id = new UUID(0, 0);
  String name = "";

  @Column(name = "display_name")
  String displayName = "";

  @Enumerated(EnumType.STRING)
  Tenant.State state = Tenant.State.ACTIVE;

  long version;

  static TenantEntity of(Tenant tenant) {
    TenantEntity row = new TenantEntity();
    row.id = tenant.id().value();
    row.name = tenant.name();
    row.displayName = tenant.displayName();
    row.state = tenant.state();
    row.version = tenant.version();
    return row;
  }

  Tenant tenant() {
    return new Tenant(new TenantId(id), name, displayName, state, version);
  }
}
