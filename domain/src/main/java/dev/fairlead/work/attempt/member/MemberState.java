package dev.fairlead.work.attempt.member;

/** State of a member, as its pod shows it. */
public enum MemberState {
  /** The pod is not created, or its image is not pulled yet. */
  PENDING,
  /** Bound to its node, its image on the way. */
  PULLING,
  /** Its container runs. */
  RUNNING,
  /** Ended with exit code 0. */
  SUCCEEDED,
  /** Ended otherwise. */
  FAILED,
  /** Missing and dead by evidence, without a result. */
  GONE
}
