package dev.fairlead.tenant.postgres;

import dev.fairlead.tenant.Tenant;
import dev.fairlead.tenant.TenantId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;

/** Row of {@code tenant}. */
@Entity
@Table(name = "tenant")
class TenantEntity {
  @Id UUID id = new UUID(0, 0);
  String name = "";
  long version;

  static TenantEntity of(Tenant tenant) {
    TenantEntity row = new TenantEntity();
    row.id = tenant.id().value();
    row.name = tenant.name();
    row.version = tenant.version();
    return row;
  }

  Tenant tenant() {
    return new Tenant(new TenantId(id), name, version);
  }
}
