package dev.fairlead.money.usage;

/** State of a part of a GPU at a moment: the first that applies. */
public enum UsageBucket {
  /** Quarantined, silent or failed. This also applies while a job still holds it. */
  SICK,
  /** Cordoned or drained by an operator. This also applies while a job still holds it. */
  MAINTENANCE,
  /** Held by a member. */
  USED,
  /** Reserved for a waiting job, or held by foreign pods. */
  KEPT,
  /** Remainder of a partitioned GPU on which no further slice fits. */
  STRANDED,
  /** None of these. */
  FREE
}
