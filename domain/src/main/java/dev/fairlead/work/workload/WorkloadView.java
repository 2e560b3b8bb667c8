package dev.fairlead.work.workload;

import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Changes on a cluster.
 *
 * @param revision pass it back to get later changes
 * @param complete whether {@code workloads} lists everything. A missing attempt then has no objects
 *     on the cluster
 * @param workloads the changed attempts. One without objects is present and empty
 */
public record WorkloadView(
    long revision, boolean complete, SortedMap<AttemptId, ObservedWorkload> workloads) {
  public WorkloadView {
    workloads = Collections.unmodifiableSortedMap(new TreeMap<>(workloads));
  }

  public SortedSet<AttemptId> attempts() {
    return new TreeSet<>(workloads.keySet());
  }
}
