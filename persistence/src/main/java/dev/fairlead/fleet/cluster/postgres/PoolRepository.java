package dev.fairlead.fleet.cluster.postgres;

import java.util.List;
import java.util.UUID;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

/** Rows of {@code pool}. A row without a tenant is shared. */
interface PoolRepository extends Repository<PoolEntity, UUID> {
  PoolEntity saveAndFlush(PoolEntity row);

  List<PoolRow> findByOrderByName();

  @Query(
      """
      select p from PoolEntity p
      where p.changeable.tenant is null or p.changeable.tenant = :tenant
      order by p.name
      """)
  List<PoolRow> seenBy(@Param("tenant") UUID tenant);

  /** Returns 0 if the version of the row has changed. */
  @Modifying
  @Query(
      """
      update versioned PoolEntity p set p.changeable = :changeable
      where p.id = :id and p.version = :version
      """)
  int change(
      @Param("id") UUID id,
      @Param("version") long version,
      @Param("changeable") PoolEntity.Changeable changeable);

  /** Returns 0 if the version of the row has changed. */
  @Modifying
  @Query("delete from PoolEntity p where p.id = :id and p.version = :version")
  int remove(@Param("id") UUID id, @Param("version") long version);
}
