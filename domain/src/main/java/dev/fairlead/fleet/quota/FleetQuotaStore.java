package dev.fairlead.fleet.quota;

import java.time.Instant;
import java.util.List;

/** The platform's own quota tree, see {@link FleetQuota}. For all tenants or not at all. */
public interface FleetQuotaStore {
  /** Time of the database, by which windows of limits open and close. */
  Instant now();

  /** The root and every tenant that can be read, limited or not; by depth, then id. */
  List<QuotaNode> fleet();

  /**
   * Replaces limits and weight, and counts again what all tenants hold. Guarded by {@code version -
   * 1}.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION
   */
  void updateFleet(QuotaNode node);
}
