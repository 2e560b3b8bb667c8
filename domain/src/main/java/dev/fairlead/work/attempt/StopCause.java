package dev.fairlead.work.attempt;

/** Reason for ordering an attempt to end. */
public enum StopCause {
  /** Its owner cancels the job. */
  CANCEL(AttemptState.CANCELLED),
  /** Its owner suspends the job. */
  SUSPEND(AttemptState.CANCELLED),
  /** Another job gets its place. */
  PREEMPTION(AttemptState.PREEMPTED),
  /** Its node or cluster is being emptied. */
  DRAIN(AttemptState.PREEMPTED),
  /** A device or machine that it holds is unhealthy. */
  ISOLATION(AttemptState.FAILED),
  /** A member failed, so the others must follow. */
  MEMBER_FAILED(AttemptState.FAILED),
  /** The attempt did not start in time. */
  START_TIMEOUT(AttemptState.FAILED),
  /** The attempt no longer reports progress. */
  HANG(AttemptState.FAILED),
  /** The job's {@code maxRuntime} has expired. */
  DEADLINE(AttemptState.FAILED),
  /** Its cluster evicts it. */
  EVICTION(AttemptState.EVICTED),
  /** Its machine is gone. */
  LOSS(AttemptState.LOST);

  private final AttemptState end;

  StopCause(AttemptState end) {
    this.end = end;
  }

  /** The terminal state of an attempt that was stopped for this. */
  public AttemptState end() {
    return end;
  }
}
