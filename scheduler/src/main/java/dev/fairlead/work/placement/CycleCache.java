package dev.fairlead.work.placement;

import dev.fairlead.work.placement.ledger.ClusterCycleCache;
import dev.fairlead.work.placement.ledger.ClusterPart;
import dev.fairlead.work.placement.ordering.PendingJobCache;
import java.util.Collections;
import java.util.SortedMap;

/**
 * Results of one cycle that are still valid in the next cycle if their rows did not change. They
 * make planning faster and never change a plan. Belongs to one planner that plans snapshots in
 * sequence and is not thread-safe.
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
