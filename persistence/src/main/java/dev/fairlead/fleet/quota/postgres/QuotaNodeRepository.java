package dev.fairlead.fleet.quota.postgres;

import dev.fairlead.kernel.postgres.ConfigRows;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Rows of {@code quota_node}. Rows without a tenant belong to the platform. */
interface QuotaNodeRepository extends ConfigRows<QuotaNodeEntity, UUID> {
  List<QuotaNodeRow> findByTenantOrderByDepthAscColumnsNameAsc(UUID tenant);

  Optional<QuotaNodeRow> findByTenantAndId(UUID tenant, UUID id);

  Optional<QuotaNodeRow> findByTenantAndColumnsName(UUID tenant, String name);

  List<QuotaNodeRow> findByTenantIsNotNullOrderByDepthAscColumnsNameAscIdAsc();

  List<QuotaNodeRow> findByTenantIsNullOrderByDepthAscColumnsNameAscIdAsc();
}
