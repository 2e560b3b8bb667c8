package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import java.util.Collections;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * What holds quota and goes at once: a job, or a part that its gang can do without.
 *
 * @param key breaks ties
 * @param gang key of the whole that takes this along when it goes; its own where it is no part
 * @param lost work that goes with it, in any unit, 0 or more; of two, the one that loses less goes
 *     first
 * @param created seconds on any clock, larger = later
 * @param leaving its eviction is under way already
 * @param use base units by cell
 */
public record RunningJob(
    String key,
    String gang,
    QuotaNodeId queue,
    int priority,
    double lost,
    double created,
    boolean leaving,
    SortedMap<QuotaCell, Long> use) {
  public RunningJob {
    use = Collections.unmodifiableSortedMap(new TreeMap<>(use));
  }

  boolean part() {
    return !gang.equals(key);
  }

  boolean partOf(RunningJob whole) {
    return part() && gang.equals(whole.key);
  }

  boolean uses(SortedSet<QuotaCell> cells) {
    return use.entrySet().stream().anyMatch(e -> e.getValue() > 0 && cells.contains(e.getKey()));
  }

  /**
   * Cheapest first: jobs that leave anyway, then other queues before the own one, then lower
   * priority, then less lost work, then the newest, then parts, then by key.
   */
  static Comparator<RunningJob> cheapestFirst(QuotaNodeId own) {
    return Comparator.comparing((RunningJob job) -> !job.leaving())
        .thenComparing(job -> job.queue().equals(own))
        .thenComparingInt(RunningJob::priority)
        .thenComparingDouble(RunningJob::lost)
        .thenComparingDouble(job -> -job.created())
        .thenComparing(job -> !job.part())
        .thenComparing(RunningJob::key);
  }
}
