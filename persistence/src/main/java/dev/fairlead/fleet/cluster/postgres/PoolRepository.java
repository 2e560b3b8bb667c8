package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.kernel.postgres.ConfigRows;
import java.util.List;
import java.util.UUID;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.query.Param;

/** Rows of {@code pool}. A row without a tenant is shared. */
interface PoolRepository extends ConfigRows<PoolEntity, UUID> {
  List<PoolRow> findByOrderByName();

  @Query(
      """
      select p from PoolEntity p
      where p.tenant is null or p.tenant = :tenant
      order by p.name
      """)
  List<PoolRow> seenBy(@Param("tenant") UUID tenant);
}
