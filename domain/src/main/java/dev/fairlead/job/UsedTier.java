package dev.fairlead.job;

import dev.fairlead.quota.RoutingPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The tier of its queue's routing policy by which a job was placed, and why it was not an earlier
 * one.
 *
 * @param number from 1
 * @param after how long a job waits until the tier opens, as the policy was then
 */
public record UsedTier(int number, Cause cause, Duration after) {
  /** Why this tier. */
  public enum Cause {
    /** No earlier tier has capacity that the job could use at its price. */
    POLICY,
    /** An earlier tier has such capacity, but no room or quota for the job then. */
    NO_ROOM,
    /** The same, and the wait for the tier was over. */
    WAIT_OVER
  }

  /**
   * @param tier position from 0
   * @param earlier whether the job could use capacity of an earlier tier, had it room there
   * @return null for a policy without tiers
   */
  public static @Nullable UsedTier of(RoutingPolicy policy, int tier, boolean earlier) {
    if (policy.none()) {
      return null;
    }
    Duration after = policy.tiers().get(tier).after();
    Cause waited = after.isPositive() ? Cause.WAIT_OVER : Cause.NO_ROOM;
    return new UsedTier(tier + 1, earlier ? waited : Cause.POLICY, after);
  }
}
