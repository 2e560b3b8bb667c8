package dev.fairlead.fleet.quota;

import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The quota tree. Use is charged and released by the job store, in the transaction of the
 * allocation.
 */
public interface QuotaStore {
  /** Time of the database, by which windows of limits open and close. */
  Instant now();

  /**
   * Counts all use of the tenant's tree anew: what a new node lends becomes its parent's own.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN when the tenant has a node of that
   *     name
   */
  void insert(QuotaNode node);

  /**
   * Guarded by {@code version - 1}; counts all use of the tenant's tree anew under the new limits.
   */
  void update(QuotaNode node);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict REFERENCED when it has children, jobs or use
   */
  void delete(TenantId tenant, QuotaNodeId id, long version);

  Optional<QuotaNode> node(TenantId tenant, QuotaNodeId id);

  Optional<QuotaNode> nodeNamed(TenantId tenant, String name);

  /** By depth, then name. */
  List<QuotaNode> nodes(TenantId tenant);

  List<QuotaUse> uses(TenantId tenant);

  /**
   * Replaces all that is known, of all tenants, of what waiting jobs ask for; queues that are gone
   * are left out.
   */
  void demand(List<QuotaDemand> demands);

  /** By queue and cell. */
  List<QuotaDemand> demands(TenantId tenant);
}
