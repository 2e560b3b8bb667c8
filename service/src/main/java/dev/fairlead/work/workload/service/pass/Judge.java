package dev.fairlead.work.workload.service.pass;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.workload.Observations;
import dev.fairlead.work.workload.Verdict;

/** {@link dev.fairlead.work.workload.AttemptJudge#judge}. */
@FunctionalInterface
interface Judge {
  Verdict judge(Attempt attempt, Job job, Observations observations);
}
