package dev.fairlead.work.placement.shape;

import dev.fairlead.fleet.quota.RoutingPolicy;

/**
 * The routing policy of a job's queue, as far as the job has waited.
 *
 * @param open how many tiers, from the first, the job may use already
 */
public record Tiers(RoutingPolicy policy, int open) {
  /** Of a queue without a policy: every node is of one tier that is open. */
  public static final Tiers NONE = new Tiers(RoutingPolicy.NONE, 0);

  /** Position of what no tier takes, or costs more than the job pays. */
  public static final int NO_TIER = -1;

  /**
   * Whether the job may use nodes of the tier now.
   *
   * @param tier position from 0, {@link #NO_TIER} for what no tier takes
   */
  public boolean opens(int tier) {
    return tier != NO_TIER && (policy.none() || tier < open);
  }

  /** As they are once the job has waited for all of them. */
  public Tiers all() {
    return new Tiers(policy, policy.tiers().size());
  }
}
