package dev.fairlead.quota;

/** What a quota node allows to be evicted for its jobs. */
public record PreemptionRules(WithinQueue withinQueue, Reclaim reclaim, boolean fairShare) {
  /** Victims in the same queue. */
  public enum WithinQueue {
    NEVER,
    LOWER_PRIORITY,
    LOWER_OR_NEWER_EQUAL
  }

  /** Taking back what was lent. */
  public enum Reclaim {
    NEVER,
    LOWER_PRIORITY,
    ANY
  }

  public static final PreemptionRules NONE =
      new PreemptionRules(WithinQueue.NEVER, Reclaim.NEVER, false);
}
