package dev.fairlead.cluster.postgres;

import dev.fairlead.cluster.Pool;
import dev.fairlead.cluster.PoolAssignment;
import dev.fairlead.postgres.Entities;
import dev.fairlead.postgres.Json;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.transaction.Conflict;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Rows of pools. To be used inside a transaction. */
@Component
class PoolTable {
  private static final SqlFile READ = SqlFile.named("cluster/pools-are-read");
  private static final SqlFile CHANGE = SqlFile.named("cluster/pools-change");
  private static final SqlFile UPDATE = SqlFile.named("cluster/update-pool");
  private static final SqlFile DELETE = SqlFile.named("cluster/delete-pool");

  private final Entities entities;
  private final JdbcClient jdbc;

  PoolTable(Entities entities, JdbcClient jdbc) {
    this.entities = entities;
    this.jdbc = jdbc;
  }

  /** All of them; none changes until the transaction ends. */
  PoolAssignment assignment() {
    take(READ);
    return new PoolAssignment(all());
  }

  /** By name. */
  List<Pool> all() {
    return entities
        .list(entities.query("from PoolEntity p order by p.name", PoolEntity.class))
        .stream()
        .map(PoolEntity::pool)
        .toList();
  }

  /** Shared ones and those of the tenant, by name. */
  List<Pool> of(UUID tenant) {
    return entities
        .list(
            entities
                .query(
                    "from PoolEntity p where p.tenant is null or p.tenant = :tenant order by p.name",
                    PoolEntity.class)
                .setParameter("tenant", tenant))
        .stream()
        .map(PoolEntity::pool)
        .toList();
  }

  void insert(Pool pool) {
    take(CHANGE);
    entities.insert(
        () -> new Conflict(Conflict.Guard.NAME_TAKEN, pool.name()), List.of(PoolEntity.of(pool)));
  }

  void update(Pool pool) {
    take(CHANGE);
    refuseUnlessOne(
        pool,
        jdbc.sql(UPDATE.text())
            .param("id", pool.id().value())
            .param("tenant", PoolEntity.owner(pool))
            .param("selector", Json.write(pool.selector()))
            .param("description", pool.description())
            .param("spares", PoolEntity.text(pool.spares()))
            .param("version", pool.version())
            .update());
  }

  void delete(Pool pool) {
    take(CHANGE);
    refuseUnlessOne(
        pool,
        jdbc.sql(DELETE.text())
            .param("id", pool.id().value())
            .param("version", pool.version())
            .update());
  }

  private void take(SqlFile lock) {
    Boolean _ = jdbc.sql(lock.text()).query(Boolean.class).single();
  }

  private static void refuseUnlessOne(Pool pool, int rows) {
    if (rows != 1) {
      throw new Conflict(Conflict.Guard.VERSION, pool.name());
    }
  }
}
