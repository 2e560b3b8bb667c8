package dev.fairlead.fleet.quota.postgres;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

/** Rows of {@code quota_node}. Rows without a tenant belong to the platform. */
interface QuotaNodeRepository extends Repository<QuotaNodeEntity, UUID> {
  QuotaNodeEntity saveAndFlush(QuotaNodeEntity row);

  List<QuotaNodeRow> findByTenantOrderByDepthAscColumnsNameAsc(UUID tenant);

  Optional<QuotaNodeRow> findByTenantAndId(UUID tenant, UUID id);

  Optional<QuotaNodeRow> findByTenantAndColumnsName(UUID tenant, String name);

  List<QuotaNodeRow> findByTenantIsNotNullOrderByDepthAscColumnsNameAscIdAsc();

  List<QuotaNodeRow> findByTenantIsNullOrderByDepthAscColumnsNameAscIdAsc();

  /** Returns 0 if the version of the row has changed. */
  @Modifying
  @Query(
      """
      update versioned QuotaNodeEntity n set n.columns = :columns
      where n.id = :id and n.tenant is not distinct from :tenant and n.version = :version
      """)
  int change(
      @Param("id") UUID id,
      @Param("tenant") @Nullable UUID tenant,
      @Param("version") long version,
      @Param("columns") QuotaNodeColumns columns);
}
