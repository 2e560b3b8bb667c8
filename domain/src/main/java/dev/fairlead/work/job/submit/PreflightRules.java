package dev.fairlead.work.job.submit;

import dev.fairlead.work.spec.JobSpec;

/** Decides which tests a job may request before it starts. */
public interface PreflightRules {
  /**
   * @throws dev.fairlead.kernel.problem.Refusal INVALID_FIELD for a test that does not exist, or
   *     that needs more GPUs than the job has
   */
  void known(JobSpec spec);
}
