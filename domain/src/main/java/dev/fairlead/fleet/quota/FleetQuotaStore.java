package dev.fairlead.fleet.quota;

import java.time.Instant;
import java.util.List;

/** The platform's own quota tree, see {@link FleetQuota}. It covers all tenants or none. */
public interface FleetQuotaStore {
  /** Returns the database time, by which windows of limits open and close. */
  Instant now();

  /** Returns the root and every readable tenant, limited or not, by depth, then id. */
  List<QuotaNode> fleet();

  /**
   * Replaces limits and weight, and recounts the use of all tenants. Guarded by {@code version -
   * 1}.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION
   */
  void updateFleet(QuotaNode node);
}
