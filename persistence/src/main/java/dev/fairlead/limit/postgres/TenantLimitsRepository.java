package dev.fairlead.limit.postgres;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

/** Rows of {@code tenant_limits}; the place is the id of the project, or of the tenant. */
interface TenantLimitsRepository extends Repository<TenantLimitsEntity, UUID> {
  TenantLimitsEntity saveAndFlush(TenantLimitsEntity row);

  @Query(
      """
      select l.tenant, l.project, l.limits, l.version, p.name
      from TenantLimitsEntity l left join ProjectEntity p on p.id = l.project
      order by l.place
      """)
  List<TenantLimitsRow> all();

  @Query(
      """
      select l.tenant, l.project, l.limits, l.version, p.name
      from TenantLimitsEntity l left join ProjectEntity p on p.id = l.project
      where l.tenant = :tenant and l.place = :place
      """)
  Optional<TenantLimitsRow> at(@Param("tenant") UUID tenant, @Param("place") UUID place);

  /** Returns 0 when the row has another version by now. */
  @Modifying
  @Query(
      """
      update versioned TenantLimitsEntity l set l.limits = :limits
      where l.place = :place and l.version = :version
      """)
  int change(
      @Param("place") UUID place,
      @Param("version") long version,
      @Param("limits") TenantLimitsEntity.Values limits);
}
