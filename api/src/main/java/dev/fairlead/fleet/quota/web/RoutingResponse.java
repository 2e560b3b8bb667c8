package dev.fairlead.fleet.quota.web;

import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.money.price.Money;
import io.swagger.v3.oas.annotations.media.Schema;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ordered tiers of capacity for the jobs of a queue, and the wait before each tier.
 *
 * @param tiers tiers in order. A job uses a node by the first tier that selects it within its price
 * @param moveBack rules for returning running jobs to reserved capacity, null if they do not
 */
record RoutingResponse(List<Tier> tiers, @Nullable MoveBack moveBack) {
  /**
   * Rules for returning running jobs to reserved capacity.
   *
   * @param perHour maximum number of moves of the queue in any hour
   * @param rest minimum run time of an attempt before it is moved
   */
  @Schema(name = "RoutingMoveBackResponse")
  record MoveBack(int perHour, String rest) {
    static @Nullable MoveBack of(RoutingPolicy.@Nullable MoveBack rule) {
      return rule == null ? null : new MoveBack(rule.perHour(), DurationText.of(rule.rest()));
    }
  }

  /**
   * One tier of the policy. An empty list selects all.
   *
   * @param after waiting time of a job after which the tier opens
   * @param maxPricePerGpuHour highest price of a GPU-hour in units of the currency, null for any
   *     price
   * @param currency currency of that price (ISO 4217)
   * @param order order in which nodes of the tier are tried
   */
  @Schema(name = "RoutingTierResponse")
  record Tier(
      List<CapacityType> capacityTypes,
      List<String> pools,
      List<String> clusters,
      String after,
      @Nullable BigDecimal maxPricePerGpuHour,
      @Nullable String currency,
      RoutingPolicy.Order order) {
    static Tier of(RoutingPolicy.Tier tier) {
      Money cap = tier.maxPricePerGpuHour();
      return new Tier(
          tier.capacityTypes(),
          tier.pools(),
          tier.clusters(),
          DurationText.of(tier.after()),
          cap == null ? null : cap.amount(),
          cap == null ? null : cap.currency(),
          tier.order());
    }
  }

  /** A new policy. */
  @Schema(name = "RoutingRequest")
  record Given(
      @Schema(
              description =
                  "Tiers in order, at most 8, which name at most 64 pools and clusters."
                      + " Without tiers, all nodes are available immediately")
          List<GivenTier> tiers,
      @Schema(
              description =
                  "Rules for returning preemptible jobs from more expensive capacity to reserved"
                      + " capacity that becomes free. Running jobs do not move back when absent")
          @Nullable GivenMoveBack moveBack) {}

  /** New rules for returning running jobs to reserved capacity. */
  @Schema(name = "RoutingMoveBackRequest")
  record GivenMoveBack(
      @Schema(
              description =
                  "Maximum number of moves of the queue in any hour, 1 to 1000. Default: 6")
          @Nullable Integer perHour,
      @Schema(
              description =
                  "Minimum run time of an attempt before it is moved, 1m to 7d. Default:" + " 10m")
          @Nullable String rest) {}

  /** One tier of a new policy. An absent field selects all. */
  @Schema(name = "RoutingTierRequest")
  record GivenTier(
      @Nullable List<CapacityType> capacityTypes,
      @Nullable List<String> pools,
      @Nullable List<String> clusters,
      @Schema(
              description =
                  "Waiting time of a job after which the tier opens. Immediately when" + " absent")
          @Nullable String after,
      @Schema(description = "Maximum price of a GPU-hour in the price book. Requires currency")
          @Nullable BigDecimal maxPricePerGpuHour,
      @Schema(description = "Currency of maxPricePerGpuHour (ISO 4217)") @Nullable String currency,
      @Schema(description = "Order of the nodes. CHEAPEST uses the price book. Default: FIXED")
          RoutingPolicy.@Nullable Order order) {}

  /** Null for a queue without a policy. */
  static @Nullable RoutingResponse of(RoutingPolicy policy) {
    return policy.none()
        ? null
        : new RoutingResponse(
            policy.tiers().stream().map(Tier::of).toList(), MoveBack.of(policy.moveBack()));
  }
}
