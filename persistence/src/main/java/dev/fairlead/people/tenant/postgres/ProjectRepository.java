package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.postgres.ConfigRows;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Rows of {@code project}. */
interface ProjectRepository extends ConfigRows<ProjectEntity, UUID> {
  Optional<ProjectEntity> findByTenantAndName(UUID tenant, String name);

  Optional<ProjectEntity> findByTenantAndId(UUID tenant, UUID id);

  List<ProjectEntity> findByTenantOrderByName(UUID tenant);

  List<ProjectEntity> findByTenantAndIdInOrderByName(UUID tenant, Collection<UUID> ids);

  List<ProjectEntity> findByStrictEgressIsNotNullOrderByNamespace();
}
