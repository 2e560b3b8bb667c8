package dev.fairlead.work.job.web.view;

import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.job.estimate.PreemptionRisk;
import java.util.List;
import java.util.SortedMap;

/**
 * Jobs that may preempt the job by the rules of their queues, and past preemptions of jobs with the
 * same queue and priority. The counts imply no probability.
 *
 * @param allowed whether the job may be preempted at all
 * @param minRuntime run time of each attempt before it may be preempted
 * @param by one entry for each queue and right, empty for a job that is never preempted
 * @param days number of days in {@code past}, including the current day in UTC
 * @param past past preemptions by flavor that the job has or may get
 */
record PreemptionRiskResponse(
    boolean allowed,
    String minRuntime,
    List<PreemptionRisk.QueueRisk> by,
    int days,
    List<Past> past) {
  /**
   * Past starts and preemptions of jobs with the same queue and priority on one flavor.
   *
   * @param starts number of started attempts
   * @param preempted number of preempted attempts, or of attempts with preempted members, by right
   */
  record Past(String flavor, long starts, SortedMap<EvictionRight, Long> preempted) {
    static Past of(PreemptionRisk.Past from) {
      return new Past(from.flavor().text(), from.starts(), from.preempted());
    }
  }

  static PreemptionRiskResponse of(PreemptionRisk risk) {
    return new PreemptionRiskResponse(
        risk.allowed(),
        DurationText.of(risk.minRuntime()),
        risk.by(),
        PreemptionRisk.DAYS,
        risk.past().stream().map(Past::of).toList());
  }
}
