package dev.fairlead.fleet.quota;

/**
 * Rules by which a job of a queue tries its next flavor (flavor fungibility of Kueue). Each value
 * applies to a flavor on which the job does not start within the queue's own quota.
 *
 * @param preference takes precedence if both values select the next flavor
 */
public record FlavorFallback(
    WhenCanBorrow whenCanBorrow, WhenCanPreempt whenCanPreempt, Preference preference) {
  /** The job could start on the flavor if the queue borrows. */
  public enum WhenCanBorrow {
    /** The queue borrows. */
    BORROW,
    /** Flavors on which the queue does not borrow are tried first. */
    TRY_NEXT_FLAVOR
  }

  /** The job could start on the flavor after other jobs are evicted. */
  public enum WhenCanPreempt {
    /** Jobs are evicted before the next flavor is tried. */
    PREEMPT,
    /** All flavors are tried before any job is evicted. */
    TRY_NEXT_FLAVOR
  }

  /** The choice if no flavor has enough of the queue's own quota. */
  public enum Preference {
    /** The queue borrows rather than evicts. */
    BORROWING,
    /** The queue evicts jobs on flavors of its own quota, rather than borrows. */
    PREEMPTION
  }

  public static final FlavorFallback DEFAULT =
      new FlavorFallback(
          WhenCanBorrow.BORROW, WhenCanPreempt.TRY_NEXT_FLAVOR, Preference.BORROWING);
}
