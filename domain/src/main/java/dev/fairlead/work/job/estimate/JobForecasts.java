package dev.fairlead.work.job.estimate;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import org.jspecify.annotations.Nullable;

/**
 * Predicts the placement of a job and the jobs that may preempt it. Implemented where the engine is
 * known.
 */
public interface JobForecasts {
  /**
   * Plans as the scheduler would if the job were in the queue. Stores nothing.
   *
   * @param job as it would be stored, in state QUEUED
   * @throws dev.fairlead.kernel.problem.Refusal RATE_LIMITED while the maximum of concurrent plans
   *     for its user, its tenant or in total is reached
   */
  Forecast of(Job job);

  /**
   * Jobs that may preempt a stored job.
   *
   * @param attempt its newest, null before the first
   */
  PreemptionRisk risk(Job job, @Nullable Attempt attempt);
}
