package dev.fairlead.fleet.node.pool;

import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Stores pools. A change blocks reports of nodes until its transaction ends, so that {@code
 * InventoryStore.assign} in the same transaction covers every node.
 */
public interface PoolStore {
  /** Returns all pools of the installation, by name. */
  List<Pool> pools();

  /** Returns the shared pools and the pools of the tenant, by name. */
  List<Pool> pools(TenantId tenant);

  Optional<Pool> pool(PoolId id);

  /** Returns the database time, by which windows open and close. */
  Instant now();

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN if a pool of that name exists
   */
  void insert(Pool pool);

  /**
   * Replaces the mutable fields.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(Pool pool);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless this version is stored,
   *     REFERENCED while it has a supply
   */
  void delete(Pool pool);
}
