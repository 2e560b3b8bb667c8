package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.postgres.ConfigRows;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Rows of {@code tenant}. */
interface TenantRepository extends ConfigRows<TenantEntity, UUID> {
  Optional<TenantEntity> findByName(String name);

  List<TenantEntity> findByOrderByName();
}
