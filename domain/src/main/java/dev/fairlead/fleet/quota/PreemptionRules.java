package dev.fairlead.fleet.quota;

import org.jspecify.annotations.Nullable;

/**
 * What a quota node allows to be evicted for its jobs.
 *
 * @param fairShare whether {@code reclaim} goes by the shares of both queues
 * @param whileBorrowing victims in other queues for a job that borrows itself; needs {@code
 *     reclaim}, and has no effect where shares decide
 * @param maxVictimPriority bound on the priority of those victims; null = the job's own alone
 */
public record PreemptionRules(
    WithinQueue withinQueue,
    Reclaim reclaim,
    boolean fairShare,
    WhileBorrowing whileBorrowing,
    @Nullable Integer maxVictimPriority) {
  /** Rules by which a job that borrows evicts no job of another queue. */
  public PreemptionRules(WithinQueue withinQueue, Reclaim reclaim, boolean fairShare) {
    this(withinQueue, reclaim, fairShare, WhileBorrowing.NEVER, null);
  }

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

  /** Taking from queues that borrow what the own queue does not own either. */
  public enum WhileBorrowing {
    NEVER,
    LOWER_PRIORITY
  }

  public static final PreemptionRules NONE =
      new PreemptionRules(WithinQueue.NEVER, Reclaim.NEVER, false);
}
