package dev.fairlead.fleet.quota;

/**
 * When a job of a queue goes on to its next flavor (the flavor fungibility of Kueue). Each value
 * answers what happens at a flavor on which the job does not start within the quota that the queue
 * owns.
 *
 * @param preference which of both comes first where each goes on to the next flavor
 */
public record FlavorFallback(
    WhenCanBorrow whenCanBorrow, WhenCanPreempt whenCanPreempt, Preference preference) {
  /** The job starts there if the queue borrows. */
  public enum WhenCanBorrow {
    /** It does. */
    BORROW,
    /** Flavors on which the queue does not borrow come first. */
    TRY_NEXT_FLAVOR
  }

  /** The job starts there once others are evicted. */
  public enum WhenCanPreempt {
    /** They are, before the next flavor is tried. */
    PREEMPT,
    /** All flavors are tried before any job is evicted. */
    TRY_NEXT_FLAVOR
  }

  /** What happens when no flavor has room within the quota that the queue owns. */
  public enum Preference {
    /** The queue borrows rather than evict. */
    BORROWING,
    /** Jobs on flavors that the queue owns are evicted rather than borrow. */
    PREEMPTION
  }

  public static final FlavorFallback DEFAULT =
      new FlavorFallback(
          WhenCanBorrow.BORROW, WhenCanPreempt.TRY_NEXT_FLAVOR, Preference.BORROWING);
}
