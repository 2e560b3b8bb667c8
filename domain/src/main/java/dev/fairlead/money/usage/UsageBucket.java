package dev.fairlead.money.usage;

/** State of a part of a GPU at a moment: the first that applies. */
public enum UsageBucket {
  /** Quarantined, silent or failed. Also while a job still holds it. */
  SICK,
  /** Cordoned or drained by an operator. Also while a job still holds it. */
  MAINTENANCE,
  /** Held by a member. */
  USED,
  /** Reserved for a waiting job, or held by foreign pods. */
  KEPT,
  /** Left over on a GPU that is cut, where no further slice fits. */
  STRANDED,
  /** None of these. */
  FREE
}
