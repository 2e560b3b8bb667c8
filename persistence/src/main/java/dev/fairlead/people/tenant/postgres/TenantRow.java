package dev.fairlead.people.tenant.postgres;

import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import java.util.UUID;

/** Read model of a row of {@code tenant}. */
record TenantRow(UUID id, String name, TenantEntity.Changeable changeable, long version) {
  Tenant tenant() {
    return new Tenant(
        new TenantId(id), name, changeable.displayName(), changeable.state(), version);
  }
}
