package dev.fairlead.work.workload.service.pass;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.workload.judgement.Observations;
import dev.fairlead.work.workload.judgement.Verdict;

/** {@link dev.fairlead.work.workload.judgement.AttemptJudge#judge}. */
@FunctionalInterface
public interface Judge {
  Verdict judge(Attempt attempt, Job job, Observations observations);
}
