package dev.fairlead.people.tenant.postgres;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

/** Rows of {@code tenant}. */
interface TenantRepository extends Repository<TenantEntity, UUID> {
  TenantEntity saveAndFlush(TenantEntity row);

  Optional<TenantRow> findRowById(UUID id);

  Optional<TenantRow> findByName(String name);

  List<TenantRow> findByOrderByName();

  /** Returns 0 if the version of the row has changed. */
  @Modifying
  @Query(
      """
      update versioned TenantEntity t set t.changeable = :changeable
      where t.id = :id and t.version = :version
      """)
  int change(
      @Param("id") UUID id,
      @Param("version") long version,
      @Param("changeable") TenantEntity.Changeable changeable);
}
