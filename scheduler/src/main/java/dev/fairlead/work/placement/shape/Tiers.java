package dev.fairlead.work.placement.shape;

import dev.fairlead.fleet.quota.RoutingPolicy;

/**
 * The routing policy of a job's queue, with the tiers that its waiting time has opened.
 *
 * @param open how many tiers, from the first, the job may already use
 */
public record Tiers(RoutingPolicy policy, int open) {
  /** Used for a queue without a policy: all nodes belong to one open tier. */
  public static final Tiers NONE = new Tiers(RoutingPolicy.NONE, 0);

  /** Position of capacity that no tier selects or that exceeds the job's cap. */
  public static final int NO_TIER = -1;

  /**
   * Returns whether the job may use nodes of the tier now.
   *
   * @param tier position from 0, or {@link #NO_TIER}
   */
  public boolean opens(int tier) {
    return tier != NO_TIER && (policy.none() || tier < open);
  }

  /** Returns the policy with all tiers open. */
  public Tiers all() {
    return new Tiers(policy, policy.tiers().size());
  }
}
