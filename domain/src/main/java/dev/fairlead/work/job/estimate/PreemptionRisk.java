package dev.fairlead.work.job.estimate;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.attempt.EvictionRight;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that may preempt the job under the rules of their queues, and past preemptions of jobs with
 * the same queue and priority. The counts imply no probability.
 *
 * @param allowed whether the job may be preempted at all
 * @param minRuntime run time of each attempt before it may be preempted
 * @param by one entry for each queue and right, empty for a job that is never preempted
 * @param days number of days in {@code past}, including the current day in UTC
 * @param past past preemptions by flavor that the job has or may get
 */
public record PreemptionRisk(
    boolean allowed, Duration minRuntime, List<QueueRisk> by, int days, List<Past> past) {
  /** Number of counted days, including the current UTC day. */
  public static final int DAYS = 28;

  public PreemptionRisk(boolean allowed, Duration minRuntime, List<QueueRisk> by, List<Past> past) {
    this(allowed, minRuntime, by, DAYS, past);
  }

  public PreemptionRisk {
    by = List.copyOf(by);
    past = List.copyOf(past);
  }

  /** Returns the risk with the counts of these flavors, or of all flavors if none is given. */
  public PreemptionRisk with(List<PreemptionCount> counts, Collection<Flavor> flavors) {
    SortedMap<Flavor, Past> past = new TreeMap<>();
    for (PreemptionCount count : counts) {
      Flavor flavor = count.of().flavor();
      if (flavors.isEmpty() || flavors.contains(flavor)) {
        past.merge(flavor, Past.of(count), Past::and);
      }
    }
    return new PreemptionRisk(allowed, minRuntime, by, List.copyOf(past.values()));
  }

  /**
   * Past starts and preemptions of jobs with the same queue and priority on one flavor.
   *
   * @param starts number of started attempts
   * @param preempted number of preempted attempts, or of attempts with preempted members, grouped
   *     by preemption right
   */
  public record Past(Flavor flavor, long starts, SortedMap<EvictionRight, Long> preempted) {
    public Past {
      preempted = Collections.unmodifiableSortedMap(new TreeMap<>(preempted));
    }

    private static Past of(PreemptionCount count) {
      EvictionRight right = count.of().right();
      return new Past(
          count.of().flavor(),
          right == null ? count.times() : 0,
          right == null
              ? Collections.emptySortedMap()
              : new TreeMap<>(Map.of(right, count.times())));
    }

    private Past and(Past other) {
      SortedMap<EvictionRight, Long> all = new TreeMap<>(preempted);
      other.preempted.forEach((right, times) -> all.merge(right, times, Long::sum));
      return new Past(flavor, starts + other.starts, all);
    }
  }

  /**
   * Jobs of one queue that may preempt the job with the same right.
   *
   * @param fromPriority lowest priority of such jobs
   * @param earlierOnly whether jobs with the lowest priority may preempt it only if they were
   *     submitted earlier
   * @param now whether the current quota use permits it: always within its queue, otherwise while
   *     its queue and the groups up to the common one borrow its quota. Null without a placement
   */
  public record QueueRisk(
      String queue,
      EvictionRight right,
      int fromPriority,
      boolean earlierOnly,
      @Nullable Boolean now) {}
}
