package dev.fairlead.tenant.postgres;

import jakarta.persistence.LockModeType;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.repository.Repository;

/** Rows of {@code membership}; a project that is null is the tenant itself. */
interface MembershipRepository extends Repository<MembershipEntity, UUID> {
  MembershipEntity saveAndFlush(MembershipEntity row);

  void delete(MembershipEntity row);

  void flush();

  List<MembershipEntity> findByPrincipalOrderById(String principal);

  @Lock(LockModeType.PESSIMISTIC_READ)
  List<MembershipEntity> findLockedByTenantAndPrincipalOrderById(UUID tenant, String principal);

  List<MembershipEntity> findByTenantAndProjectOrderByPrincipal(
      UUID tenant, @Nullable UUID project);

  Optional<MembershipEntity> findByTenantAndProjectAndPrincipal(
      UUID tenant, @Nullable UUID project, String principal);

  Optional<MembershipEntity> findByTenantAndIdAndVersion(UUID tenant, UUID id, long version);
}
