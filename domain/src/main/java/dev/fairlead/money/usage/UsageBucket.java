package dev.fairlead.money.usage;

/** State of a part of a GPU at a moment: the first that applies. */
public enum UsageBucket {
  /** Quarantined, silent or failed, even if a job still holds the GPU. */
  SICK,
  /** Cordoned or drained by an operator, even if a job still holds the GPU. */
  MAINTENANCE,
  /** Held by a member. */
  USED,
  /** Reserved for a waiting job, or held by foreign pods. */
  KEPT,
  /** Remainder of a partitioned GPU that is too small for another slice. */
  STRANDED,
  /** None of these. */
  FREE
}
