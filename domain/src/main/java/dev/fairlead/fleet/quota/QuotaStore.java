package dev.fairlead.fleet.quota;

import dev.fairlead.people.tenant.TenantId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Stores the quota tree. Use is charged and released by the job store, in the transaction of the
 * allocation.
 */
public interface QuotaStore {
  /** Returns the database time, by which windows of limits open and close. */
  Instant now();

  /**
   * Inserts a node and recounts all use of the tenant's tree, because quota that a new node lends
   * becomes its parent's own.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN if the tenant has a node of that
   *     name
   */
  void insert(QuotaNode node);

  /**
   * Updates a node and recounts all use of the tenant's tree under the new limits. Guarded by
   * {@code version - 1}.
   */
  void update(QuotaNode node);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict REFERENCED if it has children, jobs or use
   */
  void delete(TenantId tenant, QuotaNodeId id, long version);

  Optional<QuotaNode> node(TenantId tenant, QuotaNodeId id);

  Optional<QuotaNode> nodeNamed(TenantId tenant, String name);

  /** Returns the nodes by depth, then name. */
  List<QuotaNode> nodes(TenantId tenant);

  List<QuotaUse> uses(TenantId tenant);

  /** Replaces the stored demand of waiting jobs of all tenants. Deleted queues are omitted. */
  void demand(List<QuotaDemand> demands);

  /** Returns the demand by queue and cell. */
  List<QuotaDemand> demands(TenantId tenant);
}
