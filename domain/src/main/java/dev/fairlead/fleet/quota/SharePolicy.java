package dev.fairlead.fleet.quota;

/** How a group of the quota tree decides whose turn it is among its children. */
public enum SharePolicy {
  /**
   * The smallest weighted dominant share of what was borrowed comes first (dominant resource
   * fairness).
   */
  DOMINANT_SHARE,
  /**
   * GPUs are divided first, by quota and then by weight among those who ask for more, in whole
   * units; who has least of what it deserves comes first.
   */
  DESERVED_SHARE,
  /**
   * Without fair sharing: jobs that need not borrow come first, then higher priority, then older.
   */
  PRIORITY
}
