package dev.fairlead.work.placement.preemption;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.Comparator;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * A unit that uses quota and is evicted as a whole: a job, or a surplus part of its gang.
 *
 * @param key breaks ties
 * @param gang key of the whole job that is evicted with this part, its own key if it is not a part
 * @param lost work that its eviction loses, in any unit, 0 or more, where the smaller loss is
 *     evicted first
 * @param created seconds on any clock, larger = later
 * @param leaving whether its eviction has already begun
 * @param use base units by cell
 */
@RecordBuilder
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
   * Orders the cheapest first: jobs that are already leaving, then other queues before the own one,
   * then lower priority, less lost work, newer jobs, parts, and finally the key.
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
