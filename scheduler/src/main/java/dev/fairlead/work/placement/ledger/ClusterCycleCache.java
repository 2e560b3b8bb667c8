package dev.fairlead.work.placement.ledger;

import dev.fairlead.work.placement.topology.Levels;
import org.jspecify.annotations.Nullable;

/** Results of one cycle for a cluster, reused by the next cycle. */
public final class ClusterCycleCache {
  private final Levels levels;
  private final FilterCache filters;
  private final FitCounter.@Nullable Past past;

  /**
   * @param past null if no fit was counted
   */
  ClusterCycleCache(Levels levels, FilterCache filters, FitCounter.@Nullable Past past) {
    this.levels = levels;
    this.filters = filters;
    this.past = past;
  }

  Levels levels() {
    return levels;
  }

  FilterCache filters() {
    return filters;
  }

  FitCounter.@Nullable Past past() {
    return past;
  }
}
