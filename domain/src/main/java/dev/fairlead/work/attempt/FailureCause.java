package dev.fairlead.work.attempt;

/** Reason why an attempt ended badly. Retry policy is by cause. */
public enum FailureCause {
  /** The program ended with a code other than 0. */
  USER_ERROR,
  OUT_OF_MEMORY,
  IMAGE_PULL,
  /** No cluster accepts the object: a missing secret or claim, an invalid field. */
  CONFIGURATION,
  DEADLINE_EXCEEDED,
  PREEMPTED,
  EVICTED,
  NODE_FAILURE,
  GPU_FAULT,
  NETWORK,
  /**
   * Unreachable and abandoned, after an operator's confirmation, or because the job's {@code
   * onUnreachable} permits it.
   */
  CLUSTER_LOST,
  START_TIMEOUT,
  /** The attempt ran, and stopped reporting the progress that its job requires. */
  HANG,
  /** A dependency ended without meeting the condition of {@code dependsOn}. */
  DEPENDENCY_FAILED,
  /** A dependency ended without an output that the job references. */
  OUTPUT_MISSING,
  /** A dependency ended without the failure that the job is for. The job is CANCELLED. */
  SKIPPED,
  /** An admission check of its queue rejected the job. */
  CHECK_REJECTED,
  /** The node or cluster refused the planned node assignment. Planned again, no budget spent. */
  PLACEMENT_CONFLICT,
  /** Its owner, or a rule of its project, cancelled, suspended or requeued the job. */
  STOPPED,
  PLATFORM
}
