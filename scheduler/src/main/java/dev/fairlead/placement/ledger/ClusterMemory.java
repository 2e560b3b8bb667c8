package dev.fairlead.placement.ledger;

import dev.fairlead.placement.topology.Levels;
import org.jspecify.annotations.Nullable;

/** What one cycle worked out of a cluster, for the next. */
public final class ClusterMemory {
  private final Levels levels;
  private final Refusals refusals;
  private final Census.@Nullable Past census;

  /**
   * @param census null when nobody asked
   */
  ClusterMemory(Levels levels, Refusals refusals, Census.@Nullable Past census) {
    this.levels = levels;
    this.refusals = refusals;
    this.census = census;
  }

  Levels levels() {
    return levels;
  }

  Refusals refusals() {
    return refusals;
  }

  Census.@Nullable Past census() {
    return census;
  }
}
