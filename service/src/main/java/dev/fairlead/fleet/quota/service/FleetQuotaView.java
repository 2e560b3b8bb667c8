package dev.fairlead.fleet.quota.service;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Quota of a tenant, or of all tenants together.
 *
 * @param tenant name of the tenant, null at the root
 * @param usage use of cells that are limited or used, empty while the platform sets no limit
 */
public record FleetQuotaView(@Nullable String tenant, QuotaNode node, List<Usage> usage) {
  /**
   * Use of one cell in base units.
   *
   * @param nonPreemptible used by jobs that are never evicted
   * @param borrowed used beyond the quota of the tenant
   */
  public record Usage(QuotaCell cell, long used, long nonPreemptible, long borrowed) {}

  public FleetQuotaView {
    usage = List.copyOf(usage);
  }
}
