package dev.fairlead.work.attempt;

/** Why an attempt ended badly. Retry policy is by cause. */
public enum FailureCause {
  /** The program ended with a code other than 0. */
  USER_ERROR,
  OUT_OF_MEMORY,
  IMAGE_PULL,
  /** No cluster takes the object as it is: a missing secret or claim, an invalid field. */
  CONFIGURATION,
  DEADLINE_EXCEEDED,
  PREEMPTED,
  EVICTED,
  NODE_FAILURE,
  GPU_FAULT,
  NETWORK,
  /**
   * Nothing showed it any more, and it was given up: by an operator's word, or because its job's
   * {@code onUnreachable} allows it.
   */
  CLUSTER_LOST,
  START_TIMEOUT,
  /** It ran, and did not say any more that it gets on, as its job asks for. */
  HANG,
  /** A job that it depends on ended without meeting the condition of {@code dependsOn}. */
  DEPENDENCY_FAILED,
  /** The node or cluster refused the place that was planned. Planned again, no budget spent. */
  PLACEMENT_CONFLICT,
  /** Its owner, or a rule of its project, cancelled, suspended or requeued the job. */
  STOPPED,
  PLATFORM
}
