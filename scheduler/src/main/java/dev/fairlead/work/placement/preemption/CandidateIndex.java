package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.quota.QuotaNodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Running jobs by queue and priority, the newest first. It finds the jobs that a job may preempt
 * without evaluating the others.
 */
final class CandidateIndex {
  private static final Comparator<RunningJob> NEWEST_FIRST =
      Comparator.comparingDouble((RunningJob job) -> -job.created()).thenComparing(RunningJob::key);

  private final SortedMap<QuotaNodeId, SortedMap<Integer, SortedSet<RunningJob>>> jobs =
      new TreeMap<>();

  void add(RunningJob job) {
    jobs.computeIfAbsent(job.queue(), q -> new TreeMap<>())
        .computeIfAbsent(job.priority(), p -> new TreeSet<>(NEWEST_FIRST))
        .add(job);
  }

  void remove(RunningJob job) {
    SortedMap<Integer, SortedSet<RunningJob>> queue = jobs.get(job.queue());
    SortedSet<RunningJob> equal = queue == null ? null : queue.get(job.priority());
    if (equal != null) {
      equal.remove(job);
    }
  }

  /**
   * Returns the jobs that the preemptor's rules permit, the newest first among equal priorities.
   */
  List<RunningJob> below(Preemptor preemptor) {
    List<RunningJob> below = new ArrayList<>();
    for (SortedMap<Integer, SortedSet<RunningJob>> queue : jobs.values()) {
      for (SortedSet<RunningJob> equal : queue.values()) {
        for (RunningJob job : equal) {
          if (!preemptor.mayEver(job)) {
            break;
          }
          below.add(job);
        }
      }
    }
    return below;
  }
}
