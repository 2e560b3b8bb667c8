package dev.fairlead.fleet.cluster.memory;

import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolStore;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** In-memory implementation of {@link PoolStore}. */
public final class MemoryPoolStore implements PoolStore {
  private final MemoryDatabase database;
  private final InstantSource clock;
  private final MemoryTable<PoolId, Pool> pools;
  private Predicate<PoolId> supplied = pool -> false;

  public MemoryPoolStore(MemoryDatabase database, InstantSource clock) {
    this.database = database;
    this.clock = clock;
    this.pools = database.table();
  }

  /** Sets the test for pools with a supply. */
  public void suppliedBy(Predicate<PoolId> supplies) {
    supplied = supplies;
  }

  @Override
  public List<Pool> pools() {
    return database.call(
        () -> pools.all().stream().sorted(Comparator.comparing(Pool::name)).toList());
  }

  @Override
  public List<Pool> pools(TenantId tenant) {
    return pools().stream().filter(pool -> pool.nodePool().serves(tenant)).toList();
  }

  @Override
  public Optional<Pool> pool(PoolId id) {
    return database.call(() -> pools.find(id));
  }

  @Override
  public Instant now() {
    return clock.instant();
  }

  @Override
  public void insert(Pool pool) {
    database.run(() -> {
      if (pools().stream().anyMatch(other -> other.name().equals(pool.name()))) {
        throw new Conflict(Guard.NAME_TAKEN, pool.name());
      }
      pools.put(pool.id(), pool);
    });
  }

  @Override
  public void update(Pool pool) {
    database.run(() -> {
      refuseUnlessAt(pool, pool.version() - 1);
      pools.put(pool.id(), pool);
    });
  }

  @Override
  public void delete(Pool pool) {
    database.run(() -> {
      refuseUnlessAt(pool, pool.version());
      if (supplied.test(pool.id())) {
        throw new Conflict(Guard.REFERENCED, pool.name());
      }
      pools.remove(pool.id());
    });
  }

  private void refuseUnlessAt(Pool pool, long version) {
    if (pools.find(pool.id()).filter(row -> row.version() == version).isEmpty()) {
      throw new Conflict(Guard.VERSION, pool.name());
    }
  }
}
