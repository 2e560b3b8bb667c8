package dev.fairlead.work.job.web;

import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.job.PreemptionRisk;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs may preempt it, by the rules of their queues, and how often jobs of its queue and
 * priority were preempted: counts, from which no probability follows.
 *
 * @param allowed whether it may be preempted at all
 * @param minRuntime how long each of its attempts runs before it may be
 * @param by one entry for each queue and right; empty for a job that is never preempted
 * @param days that {@code past} counts, the current one of UTC included
 * @param past by flavor, of those that it has or may get
 */
record PreemptionRiskResponse(
    boolean allowed, String minRuntime, List<QueueRisk> by, int days, List<Past> past) {
  /**
   * What happened to jobs of its queue and priority on one flavor.
   *
   * @param starts of attempts
   * @param preempted how often one of them, or members of it, had to leave, by right
   */
  record Past(String flavor, long starts, SortedMap<EvictionRight, Long> preempted) {
    static Past of(PreemptionRisk.Past from) {
      return new Past(from.flavor().text(), from.starts(), from.preempted());
    }
  }

  /**
   * Jobs of one queue that may, by one right.
   *
   * @param fromPriority the lowest priority of such jobs
   * @param earlierOnly of the lowest priority, only jobs that were submitted before it
   * @param now whether they may as quota is used with it: always within its queue, otherwise while
   *     its queue borrows what it holds; null while it has no place
   */
  record QueueRisk(
      String queue,
      EvictionRight right,
      int fromPriority,
      boolean earlierOnly,
      @Nullable Boolean now) {
    static QueueRisk of(PreemptionRisk.QueueRisk from) {
      return new QueueRisk(
          from.queue(), from.right(), from.fromPriority(), from.earlierOnly(), from.now());
    }
  }

  static PreemptionRiskResponse of(PreemptionRisk risk) {
    return new PreemptionRiskResponse(
        risk.allowed(),
        DurationText.of(risk.minRuntime()),
        risk.by().stream().map(QueueRisk::of).toList(),
        PreemptionRisk.DAYS,
        risk.past().stream().map(Past::of).toList());
  }
}
