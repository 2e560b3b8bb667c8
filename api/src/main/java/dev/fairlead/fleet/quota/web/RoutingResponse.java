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
 * Which capacity jobs of a queue use first, and which only after a wait.
 *
 * @param tiers in order; a job uses a node by the first that selects it and affords its price
 * @param moveBack how jobs that run return to reserved capacity; null = they do not
 */
record RoutingResponse(List<Tier> tiers, @Nullable MoveBack moveBack) {
  /**
   * How jobs that run return to reserved capacity.
   *
   * @param perHour moves of the queue in any hour at most
   * @param rest how long an attempt has run before it is moved
   */
  @Schema(name = "RoutingMoveBackResponse")
  record MoveBack(int perHour, String rest) {
    static @Nullable MoveBack of(RoutingPolicy.@Nullable MoveBack rule) {
      return rule == null ? null : new MoveBack(rule.perHour(), DurationText.of(rule.rest()));
    }
  }

  /**
   * One step of the policy; an empty list selects all.
   *
   * @param after how long a job has waited when the tier opens
   * @param maxPricePerGpuHour most that a GPU may cost an hour, in units of the currency; null =
   *     any price
   * @param currency of the cap, ISO 4217
   * @param order in which nodes of the tier are tried
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

  /** A policy to be set. */
  @Schema(name = "RoutingRequest")
  record Given(
      @Schema(
              description =
                  "In order, at most 8, with at most 64 pools and clusters in total; empty = all nodes")
          List<GivenTier> tiers,
      @Schema(
              description =
                  "Jobs that may be preempted return from dearer capacity to reserved capacity that"
                      + " comes free; they do not when absent")
          @Nullable GivenMoveBack moveBack) {}

  /** How jobs that run return to reserved capacity, to be set. */
  @Schema(name = "RoutingMoveBackRequest")
  record GivenMoveBack(
      @Schema(description = "Moves of the queue in any hour at most, 1 to 1000; 6 when absent")
          @Nullable Integer perHour,
      @Schema(
              description =
                  "How long an attempt has run before it is moved, 1m to 7d; 10m when absent")
          @Nullable String rest) {}

  /** One step of a policy to be set; what is absent selects all. */
  @Schema(name = "RoutingTierRequest")
  record GivenTier(
      @Nullable List<CapacityType> capacityTypes,
      @Nullable List<String> pools,
      @Nullable List<String> clusters,
      @Schema(description = "Wait after which the tier opens; immediately by default")
          @Nullable String after,
      @Schema(description = "Most that a GPU may cost an hour by the price book; needs currency")
          @Nullable BigDecimal maxPricePerGpuHour,
      @Schema(description = "Of maxPricePerGpuHour, ISO 4217") @Nullable String currency,
      @Schema(description = "CHEAPEST goes by the price book; FIXED when absent")
          RoutingPolicy.@Nullable Order order) {}

  /** Null for a queue without a policy. */
  static @Nullable RoutingResponse of(RoutingPolicy policy) {
    return policy.none()
        ? null
        : new RoutingResponse(
            policy.tiers().stream().map(Tier::of).toList(), MoveBack.of(policy.moveBack()));
  }
}
