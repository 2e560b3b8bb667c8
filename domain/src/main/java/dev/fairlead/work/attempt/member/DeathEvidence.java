package dev.fairlead.work.attempt.member;

/**
 * Closed set of reasons to count a member as dead: proofs of its end, an operator's confirmation,
 * and two permissions that its job's owner gave, which prove nothing. Resources are released only
 * with such evidence.
 */
public enum DeathEvidence {
  /** Its container's terminal status was recorded. */
  CONTAINER_TERMINATED,
  /** Its node has booted since. */
  NODE_REBOOTED,
  /** Its node carries the out-of-service taint. */
  NODE_OUT_OF_SERVICE,
  /** Its machine is confirmed gone. */
  MACHINE_GONE,
  /** Its machine was without power since, by the repairer that had to power-cycle it. */
  POWERED_OFF,
  /**
   * No proof: it is unreachable, the deadline that its kubelet enforces has passed, and its job
   * permits overlap with its next attempt. A dead kubelet enforces nothing.
   */
  HARD_DEADLINE_PASSED,
  /** No proof: it is unreachable, and its job permits overlap with its next attempt. */
  OVERLAP_ALLOWED,
  /** An operator confirmed its death, which is audited. */
  OPERATOR_CONFIRMED,
  /**
   * It was never created: no create was sent, or every create was resolved and its name is free.
   */
  NEVER_CREATED,
  /** Its node or cluster refused it before any container started. */
  NEVER_STARTED
}
