package dev.fairlead.fleet.quota;

import org.jspecify.annotations.Nullable;

/**
 * The evictions that a quota node permits for its jobs.
 *
 * @param fairShare whether {@code reclaim} compares the shares of both queues
 * @param whileBorrowing victims in other queues for a job that needs borrowed quota. Requires
 *     {@code reclaim}, and has no effect with share comparison
 * @param maxVictimPriority maximum priority of those victims, null if only the job's own priority
 *     limits it
 */
public record PreemptionRules(
    WithinQueue withinQueue,
    Reclaim reclaim,
    boolean fairShare,
    WhileBorrowing whileBorrowing,
    @Nullable Integer maxVictimPriority) {
  /** Creates rules by which a borrowing job evicts no job of another queue. */
  public PreemptionRules(WithinQueue withinQueue, Reclaim reclaim, boolean fairShare) {
    this(withinQueue, reclaim, fairShare, WhileBorrowing.NEVER, null);
  }

  /** Victims in the same queue. */
  public enum WithinQueue {
    NEVER,
    LOWER_PRIORITY,
    LOWER_OR_NEWER_EQUAL
  }

  /** Reclaiming lent quota. */
  public enum Reclaim {
    NEVER,
    LOWER_PRIORITY,
    ANY
  }

  /** Evicts from borrowing queues even for quota that the queue of the job does not own. */
  public enum WhileBorrowing {
    NEVER,
    LOWER_PRIORITY
  }

  public static final PreemptionRules NONE =
      new PreemptionRules(WithinQueue.NEVER, Reclaim.NEVER, false);
}
