package dev.fairlead.people.tenant.postgres;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

/** Rows of {@code project}. */
interface ProjectRepository extends Repository<ProjectEntity, UUID> {
  ProjectEntity saveAndFlush(ProjectEntity row);

  Optional<ProjectRow> findByTenantAndName(UUID tenant, String name);

  Optional<ProjectRow> findByTenantAndId(UUID tenant, UUID id);

  List<ProjectRow> findByTenantOrderByName(UUID tenant);

  List<ProjectRow> findByTenantAndIdInOrderByName(UUID tenant, Collection<UUID> ids);

  List<ProjectRow> findByStrictEgressIsNotNullOrderByNamespace();

  /** Returns 0 if the version of the row has changed. */
  @Modifying
  @Query(
      """
      update versioned ProjectEntity p set p.defaultQueue = :queue, p.strictEgress = :egress,
        p.idlePolicy = :idle, p.costCentre = :centre
      where p.id = :id and p.version = :version
      """)
  int change(
      @Param("id") UUID id,
      @Param("version") long version,
      @Param("queue") UUID defaultQueue,
      @Param("egress") @Nullable String strictEgress,
      @Param("idle") @Nullable String idlePolicy,
      @Param("centre") @Nullable String costCentre);
}
