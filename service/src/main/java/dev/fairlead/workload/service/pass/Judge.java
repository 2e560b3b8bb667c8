package dev.fairlead.workload.service.pass;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.job.Job;
import dev.fairlead.workload.Observations;
import dev.fairlead.workload.Verdict;

/** {@link dev.fairlead.workload.AttemptJudge#judge}. */
@FunctionalInterface
interface Judge {
  Verdict judge(Attempt attempt, Job job, Observations observations);
}
