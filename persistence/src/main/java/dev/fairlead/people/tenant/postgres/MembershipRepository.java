package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.postgres.ConfigRows;
import jakarta.persistence.LockModeType;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.query.Param;

/** Rows of {@code membership}. A null project means the tenant itself. */
interface MembershipRepository extends ConfigRows<MembershipEntity, UUID> {
  List<MembershipRow> findByPrincipalOrderById(String principal);

  @Lock(LockModeType.PESSIMISTIC_READ)
  List<MembershipRow> findLockedByTenantAndPrincipalOrderById(UUID tenant, String principal);

  @Query(
      """
      select m from MembershipEntity m
      where m.tenant = :tenant and m.project is not distinct from :project
      order by m.principal
      """)
  List<MembershipRow> allOf(@Param("tenant") UUID tenant, @Param("project") @Nullable UUID project);

  @Query(
      """
      select m from MembershipEntity m
      where m.tenant = :tenant and m.project is not distinct from :project
        and m.principal = :principal
      """)
  Optional<MembershipRow> oneOf(
      @Param("tenant") UUID tenant,
      @Param("project") @Nullable UUID project,
      @Param("principal") String principal);
}
