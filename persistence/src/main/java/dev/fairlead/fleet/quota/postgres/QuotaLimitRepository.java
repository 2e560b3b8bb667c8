package dev.fairlead.fleet.quota.postgres;

import java.util.List;
import java.util.UUID;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

/** Rows of {@code quota_limit}. Rows without a tenant belong to the platform. */
interface QuotaLimitRepository extends Repository<QuotaLimitEntity, QuotaLimitEntity.Key> {
  List<QuotaLimitEntity> saveAllAndFlush(Iterable<QuotaLimitEntity> rows);

  List<QuotaLimitRow> findByTenantOrderByOrdinal(UUID tenant);

  List<QuotaLimitRow> findByNodeOrderByOrdinal(UUID node);

  List<QuotaLimitRow> findByTenantIsNotNullOrderByOrdinal();

  List<QuotaLimitRow> findByTenantIsNullOrderByOrdinal();

  /**
   * Also clears entities that the open transaction has inserted: rows with the same id may follow.
   */
  @Modifying(clearAutomatically = true)
  @Query("delete from QuotaLimitEntity l where l.node = :node")
  void removeOf(@Param("node") UUID node);
}
