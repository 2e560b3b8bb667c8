package dev.fairlead.work.placement;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.PriorityClass;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;

/** A queue with a routing policy over a reserved and an on-demand cluster. */
abstract class RoutingScene {

  static final int TEN_MINUTES = 600;
  final Scene scene = new Scene();
  QuotaNodeId queue;

  @BeforeEach
  void aReservedAndAnOnDemandCluster() {
    queue = scene.quotas.getFirst().id();
    scene.cluster("reserved").nodes(1, 8, "H100");
    onDemand("dear");
    scene.costs("H100", CapacityType.RESERVED, 1_000_000, "USD");
    scene.costs("H100", CapacityType.ON_DEMAND, 3_000_000, "USD");
  }

  NodeBuilder onDemand(String name) {
    return scene
        .cluster(name, ClusterState.ACTIVE, CapacityType.ON_DEMAND, false)
        .nodes(1, 8, "H100");
  }

  static RoutingPolicy.Tier tier(
      CapacityType type, int afterSeconds, Money cap, RoutingPolicy.Order order) {
    return new RoutingPolicy.Tier(
        List.of(type), List.of(), List.of(), Duration.ofSeconds(afterSeconds), cap, order);
  }

  static RoutingPolicy.Tier reserved() {
    return tier(CapacityType.RESERVED, 0, null, RoutingPolicy.Order.FIXED);
  }

  static RoutingPolicy.Tier onDemandAfter(int seconds, Money cap) {
    return tier(CapacityType.ON_DEMAND, seconds, cap, RoutingPolicy.Order.FIXED);
  }

  static Money usd(long micros) {
    return new Money(micros, "USD");
  }

  /** Takes the reserved node. */
  JobBuilder first() {
    return scene.job("first").gpus(8).age(TEN_MINUTES + 60);
  }

  static @Nullable UsedTier tier(Scene.Planned plan, JobBuilder job) {
    return plan.plan().decisions().stream()
        .filter(d -> d instanceof Decision.Place && d.job().equals(job.id()))
        .map(Decision.Place.class::cast)
        .findFirst()
        .orElseThrow()
        .tier();
  }

  JobBuilder late(String name, int number) {
    return new JobBuilder(name, number, queue).gpus(8).priority(PriorityClass.HIGH).age(1);
  }
}
