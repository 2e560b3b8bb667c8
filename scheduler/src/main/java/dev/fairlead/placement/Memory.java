package dev.fairlead.placement;

import dev.fairlead.placement.ledger.ClusterMemory;
import dev.fairlead.placement.ledger.ClusterPart;
import dev.fairlead.placement.ordering.KnownJobs;
import java.util.Collections;
import java.util.SortedMap;

/**
 * What one cycle worked out that holds in the next as well, as far as its rows are the same. It
 * makes planning faster and changes no plan. For one planner that plans one snapshot after another;
 * not for several threads.
 */
public final class Memory {
  private KnownJobs jobs = KnownJobs.NONE;
  private SortedMap<ClusterPart, ClusterMemory> clusters = Collections.emptySortedMap();

  KnownJobs jobs() {
    return jobs;
  }

  SortedMap<ClusterPart, ClusterMemory> clusters() {
    return clusters;
  }

  void keep(KnownJobs knownJobs, SortedMap<ClusterPart, ClusterMemory> knownClusters) {
    jobs = knownJobs;
    clusters = knownClusters;
  }
}
