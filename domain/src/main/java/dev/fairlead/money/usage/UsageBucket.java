package dev.fairlead.money.usage;

/** What a part of a GPU is at a moment: the first of these that applies. */
public enum UsageBucket {
  /** Quarantined, silent or failed; also while a job still holds it. */
  SICK,
  /** Cordoned or drained by an operator; also while a job still holds it. */
  MAINTENANCE,
  /** Held by a member. */
  USED,
  /** Kept for a waiting job, or held by pods that are not Fairlead's. */
  KEPT,
  /** Left over on a GPU that is cut, where no further slice fits. */
  STRANDED,
  /** None of these. */
  FREE
}
