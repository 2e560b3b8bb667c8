package dev.fairlead.placement.routing;

import dev.fairlead.quota.QuotaCell;

/** What evictions could do for an amount of a cell, asked before they are planned. */
@FunctionalInterface
public interface EvictionOutlook {
  /**
   * Fit and borrowing after the evictions.
   *
   * @param amount base units wanted
   */
  Standing after(QuotaCell cell, long amount);
}
