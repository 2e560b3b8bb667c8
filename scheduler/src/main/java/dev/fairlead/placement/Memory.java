package dev.fairlead.placement;

import dev.fairlead.cluster.ClusterId;
import dev.fairlead.placement.ledger.Refusals;
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
  private SortedMap<ClusterId, Refusals> refusals = Collections.emptySortedMap();

  KnownJobs jobs() {
    return jobs;
  }

  SortedMap<ClusterId, Refusals> refusals() {
    return refusals;
  }

  void keep(KnownJobs knownJobs, SortedMap<ClusterId, Refusals> knownRefusals) {
    jobs = knownJobs;
    refusals = knownRefusals;
  }
}
