package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.kernel.postgres.ConfigRows;
import java.util.Optional;
import java.util.UUID;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.query.Param;

/** Rows of {@code cluster}. */
interface ClusterRepository extends ConfigRows<ClusterEntity, UUID> {
  Optional<ClusterEntity> findByName(String name);

  @Query("select c.connection from ClusterEntity c where c.id = :id")
  Optional<String> connection(@Param("id") UUID id);
}
