package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolAssignment;
import dev.fairlead.kernel.postgres.BelievedTime;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Rows of pools. Requires an open transaction. */
@Component
class PoolTable {
  private static final SqlFile READ = SqlFile.named("cluster/pools-are-read");
  private static final SqlFile CHANGE = SqlFile.named("cluster/pools-change");

  private final PoolRepository rows;
  private final JdbcClient jdbc;
  private final BelievedTime time;

  PoolTable(PoolRepository rows, JdbcClient jdbc, BelievedTime time) {
    this.rows = rows;
    this.jdbc = jdbc;
    this.time = time;
  }

  /** Locks the pools until the transaction ends. */
  PoolAssignment assignment() {
    take(READ);
    return new PoolAssignment(all(), now());
  }

  Instant now() {
    return time.now();
  }

  List<Pool> all() {
    return rows.findByOrderByName().stream().map(PoolRow::pool).toList();
  }

  /** Shared pools and those of the tenant, by name. */
  List<Pool> of(UUID tenant) {
    return rows.seenBy(tenant).stream().map(PoolRow::pool).toList();
  }

  void insert(Pool pool) {
    take(CHANGE);
    Constraints.unique(
        () -> rows.saveAndFlush(PoolEntity.of(pool)),
        () -> new Conflict(Conflict.Guard.NAME_TAKEN, pool.name()));
  }

  void update(Pool pool) {
    take(CHANGE);
    rows.change(pool.id().value(), pool.version() - 1, () -> stale(pool), row -> row.set(pool));
  }

  void delete(Pool pool) {
    take(CHANGE);
    try {
      rows.remove(pool.id().value(), pool.version(), () -> stale(pool));
    } catch (DataIntegrityViolationException refused) {
      throw Constraints.refusedReference(refused)
          ? new Conflict(Conflict.Guard.REFERENCED, pool.name())
          : refused;
    }
  }

  private static Conflict stale(Pool pool) {
    return new Conflict(Conflict.Guard.VERSION, pool.name());
  }

  private void take(SqlFile lock) {
    Boolean _ = jdbc.sql(lock.text()).query(Boolean.class).single();
  }
}
