package dev.fairlead.placement.routing;

/** How a request stands to the quota of a flavor, worst first. */
public enum Fit {
  DOES_NOT_FIT,
  /** Only preemption could help, and nobody may be evicted. */
  NO_VICTIMS,
  /** Fits after evictions in the same queue. */
  PREEMPTION,
  /** Fits after taking back what was lent. */
  RECLAIM,
  FITS;

  /** Whether evictions are known to help. */
  boolean evicts() {
    return this == PREEMPTION || this == RECLAIM;
  }
}
