package dev.fairlead.fleet.cluster.postgres;

import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.repository.Repository;
import org.springframework.data.repository.query.Param;

/** Rows of {@code cluster}. */
interface ClusterRepository extends Repository<ClusterEntity, UUID> {
  ClusterEntity saveAndFlush(ClusterEntity row);

  Optional<ClusterRow> findRowById(UUID id);

  Optional<ClusterRow> findByName(String name);

  @Query("select c.connection from ClusterEntity c where c.id = :id")
  Optional<String> connection(@Param("id") UUID id);

  /** Returns 0 if the version of the row has changed. */
  @Modifying
  @Query(
      """
      update versioned ClusterEntity c set c.observed = :observed
      where c.id = :id and c.version = :version
      """)
  int observe(
      @Param("id") UUID id,
      @Param("version") long version,
      @Param("observed") ClusterEntity.Observed observed);

  /**
   * Returns 0 if the version of the row has changed.
   *
   * @param connection new connection, null for no change
   */
  @Modifying
  @Query(
      """
      update versioned ClusterEntity c
      set c.configured = :configured, c.connection = coalesce(:connection, c.connection)
      where c.id = :id and c.version = :version
      """)
  int configure(
      @Param("id") UUID id,
      @Param("version") long version,
      @Param("configured") ClusterEntity.Configured configured,
      @Param("connection") @Nullable String connection);
}
