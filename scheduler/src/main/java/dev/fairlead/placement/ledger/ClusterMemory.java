package dev.fairlead.placement.ledger;

import org.jspecify.annotations.Nullable;

/** What one cycle worked out of a cluster, for the next. */
public final class ClusterMemory {
  private final Refusals refusals;
  private final Census.@Nullable Past census;

  /**
   * @param census null when nobody asked
   */
  ClusterMemory(Refusals refusals, Census.@Nullable Past census) {
    this.refusals = refusals;
    this.census = census;
  }

  Refusals refusals() {
    return refusals;
  }

  Census.@Nullable Past census() {
    return census;
  }
}
