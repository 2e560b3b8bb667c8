package dev.fairlead.work.attempt;

/**
 * State of an attempt. Each value names the evidence that ends it. A terminal one is written only
 * with evidence of death.
 */
public enum AttemptState {
  /** Stored with its allocations. No object was created. Its supervisor ends this state. */
  PLANNED,
  /** Creates may be in flight. Observations end this state. */
  LAUNCHING,
  /** Members exist, not all run. Observations end this state. */
  PULLING,
  /** All members run or have ended well. Observations end this state. */
  RUNNING,
  /** Ordered to end, with a cause and a deadline. Evidence of death ends this state. */
  STOPPING,
  /**
   * Cannot be seen. Holds its allocation and blocks a new attempt. The next sight or evidence ends
   * this state.
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
