package dev.fairlead.fleet.quota;

/** Rules by which a group of the quota tree orders its children. */
public enum SharePolicy {
  /**
   * The smallest weighted dominant share of borrowed resources comes first (dominant resource
   * fairness).
   */
  DOMINANT_SHARE,
  /**
   * GPUs are divided first by quota and then by weight among children that request more, in whole
   * units. The child with the smallest part of its deserved share comes first.
   */
  DESERVED_SHARE,
  /** Without fair sharing: jobs that do not borrow come first, then higher priority, then older. */
  PRIORITY
}
