package dev.fairlead.work.job;

import dev.fairlead.work.attempt.Attempt;
import org.jspecify.annotations.Nullable;

/** Tells what a job would get and what may take it. Implemented where the engine is known. */
public interface JobForecasts {
  /**
   * Plans as the scheduler would if the job were among those that wait; stores nothing.
   *
   * @param job as it would be stored, in state QUEUED
   * @throws dev.fairlead.kernel.problem.Refusal RATE_LIMITED while as many others of its user, its
   *     tenant or all are worked out as may be at once
   */
  Forecast of(Job job);

  /**
   * Which jobs may preempt one that is stored.
   *
   * @param attempt its newest, null before the first
   */
  PreemptionRisk risk(Job job, @Nullable Attempt attempt);
}
