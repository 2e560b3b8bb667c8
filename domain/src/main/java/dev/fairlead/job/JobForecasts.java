package dev.fairlead.job;

/** Tells what a job would get. Implemented where the engine is known. */
@FunctionalInterface
public interface JobForecasts {
  /**
   * Plans as the scheduler would if the job were among those that wait; stores nothing.
   *
   * @param job as it would be stored, in state QUEUED
   * @throws dev.fairlead.problem.Refusal RATE_LIMITED while as many others are worked out as are
   *     worked out at once
   */
  Forecast of(Job job);
}
