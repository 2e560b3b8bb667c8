package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.fleet.quota.RoutingPolicy.Order;
import dev.fairlead.fleet.quota.RoutingPolicy.Tier;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ways to use three clusters. */
public enum PoolPolicy {
  /** Each project has a separate cluster. */
  ISLANDS("islands"),
  /** All clusters together, for the lowest hourly cost of a job. */
  CHEAPEST_FIRST("cheapest first"),
  /** Reserved capacity immediately, other capacity after a wait, the cheapest first. */
  RESERVED_FIRST("reserved first"),
  /** Reserved first, with jobs that move back from more expensive capacity. */
  MOVE_BACK("reserved first, move back");

  final String text;

  PoolPolicy(String text) {
    this.text = text;
  }

  /**
   * The routing policy of a project's queue.
   *
   * @param own cluster of the project
   */
  RoutingPolicy routing(PoolPlan plan, String own) {
    return switch (this) {
      case ISLANDS ->
          new RoutingPolicy(
              List.of(
                  new Tier(List.of(), List.of(), List.of(own), Duration.ZERO, null, Order.FIXED)));
      case CHEAPEST_FIRST ->
          new RoutingPolicy(
              List.of(
                  new Tier(List.of(), List.of(), List.of(), Duration.ZERO, null, Order.CHEAPEST)));
      case RESERVED_FIRST -> reservedFirst(plan, null);
      case MOVE_BACK -> reservedFirst(plan, RoutingPolicy.MoveBack.DEFAULT);
    };
  }

  private static RoutingPolicy reservedFirst(PoolPlan plan, RoutingPolicy.@Nullable MoveBack back) {
    return new RoutingPolicy(
        List.of(
            tier(CapacityType.RESERVED, Duration.ZERO, null),
            tier(CapacityType.SPOT, plan.spotAfter(), plan.cap()),
            tier(CapacityType.ON_DEMAND, plan.onDemandAfter(), plan.cap())),
        back);
  }

  private static Tier tier(CapacityType type, Duration after, @Nullable Money cap) {
    return new Tier(List.of(type), List.of(), List.of(), after, cap, Order.CHEAPEST);
  }
}
