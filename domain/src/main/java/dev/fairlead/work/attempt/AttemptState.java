package dev.fairlead.work.attempt;

/**
 * State of an attempt. Each value names the evidence that ends it. A terminal one is written only
 * with evidence of death.
 */
public enum AttemptState {
  /** Stored with its allocations. No object was created. Its supervisor moves it out. */
  PLANNED,
  /** Creates may be in flight. Observations move it out. */
  LAUNCHING,
  /** Members exist, not all run. Observations move it out. */
  PULLING,
  /** All members run or have ended well. Observations move it out. */
  RUNNING,
  /** Ordered to end, with a cause and a deadline. Evidence of death moves it out. */
  STOPPING,
  /**
   * Cannot be seen. Holds its allocation and blocks a new attempt. The next sight or evidence moves
   * it out.
   */
  UNKNOWN,
  /** Final: every member ended with exit code 0 before Fairlead stopped any member. */
  SUCCEEDED,
  /** Final: a member failed, or it could not start. */
  FAILED,
  /** Final: ended for another job. */
  PREEMPTED,
  /** Final: ended by its cluster or by a drain. */
  EVICTED,
  /** Final: its machines no longer exist, without a result. */
  LOST,
  /** Final: ended by its owner. */
  CANCELLED
}
