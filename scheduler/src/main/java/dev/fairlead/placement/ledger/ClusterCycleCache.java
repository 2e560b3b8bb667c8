package dev.fairlead.placement.ledger;

import dev.fairlead.placement.topology.Levels;
import org.jspecify.annotations.Nullable;

/** What one cycle worked out of a cluster, for the next. */
public final class ClusterCycleCache {
  private final Levels levels;
  private final FilterCache refusals;
  private final FitCounter.@Nullable Past census;

  /**
   * @param census null when nobody asked
   */
  ClusterCycleCache(Levels levels, FilterCache refusals, FitCounter.@Nullable Past census) {
    this.levels = levels;
    this.refusals = refusals;
    this.census = census;
  }

  Levels levels() {
    return levels;
  }

  FilterCache refusals() {
    return refusals;
  }

  FitCounter.@Nullable Past census() {
    return census;
  }
}
