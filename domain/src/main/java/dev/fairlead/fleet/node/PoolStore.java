package dev.fairlead.fleet.node;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Pools. A change excludes reports of nodes until its transaction ends, so that {@link
 * InventoryStore#assign} in the same transaction leaves no node behind.
 */
public interface PoolStore {
  /** Of the whole installation, by name. */
  List<Pool> pools();

  /** Shared ones and those of the tenant, by name. */
  List<Pool> pools(TenantId tenant);

  Optional<Pool> pool(PoolId id);

  /** Time of the database, by which windows open and close. */
  Instant now();

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN when there is a pool of that name
   */
  void insert(Pool pool);

  /**
   * Replaces what may change.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(Pool pool);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless it is stored in this version,
   *     REFERENCED while it has a supply
   */
  void delete(Pool pool);
}
