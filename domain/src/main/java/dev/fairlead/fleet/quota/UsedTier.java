package dev.fairlead.fleet.quota;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The tier of the queue's routing policy that placed a job, and the reason why no earlier tier was
 * used.
 *
 * @param number from 1
 * @param after wait of a job until the tier opens, by the policy at that time
 */
public record UsedTier(int number, Cause cause, Duration after) {
  /** The reason for this tier. */
  public enum Cause {
    /** No earlier tier has capacity that the job could ever use at its price. */
    POLICY,
    /**
     * An earlier tier has such capacity, but it was out of service or closed to the job, for
     * example by a window, a refusal or the job's own waits.
     */
    UNAVAILABLE,
    /**
     * An earlier tier has such capacity, but no free capacity or quota for the job at that time.
     */
    NO_ROOM,
    /** An earlier tier had no free capacity or quota, and the wait for this tier had passed. */
    WAIT_OVER
  }

  /**
   * @param tier position from 0
   * @param usable whether the job could use an earlier tier if it had free capacity
   * @param exists whether an earlier tier has capacity that the job may use one day
   * @return null for a policy without tiers
   */
  public static @Nullable UsedTier of(
      RoutingPolicy policy, int tier, boolean usable, boolean exists) {
    if (policy.none()) {
      return null;
    }
    Duration after = policy.tiers().get(tier).after();
    Cause waited = after.isPositive() ? Cause.WAIT_OVER : Cause.NO_ROOM;
    Cause other = exists ? Cause.UNAVAILABLE : Cause.POLICY;
    return new UsedTier(tier + 1, usable ? waited : other, after);
  }
}
