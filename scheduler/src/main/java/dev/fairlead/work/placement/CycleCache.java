package dev.fairlead.work.placement;

import dev.fairlead.work.placement.ledger.ClusterCycleCache;
import dev.fairlead.work.placement.ledger.ClusterPart;
import dev.fairlead.work.placement.ordering.PendingJobCache;
import java.util.Collections;
import java.util.SortedMap;

/**
 * What one cycle worked out that holds in the next as well, as far as its rows are the same. It
 * makes planning faster and changes no plan. For one planner that plans one snapshot after another;
 * not for several threads.
 */
public final class CycleCache {
  private PendingJobCache jobs = PendingJobCache.NONE;
  private SortedMap<ClusterPart, ClusterCycleCache> clusters = Collections.emptySortedMap();

  PendingJobCache jobs() {
    return jobs;
  }

  SortedMap<ClusterPart, ClusterCycleCache> clusters() {
    return clusters;
  }

  void update(PendingJobCache knownJobs, SortedMap<ClusterPart, ClusterCycleCache> knownClusters) {
    jobs = knownJobs;
    clusters = knownClusters;
  }
}
