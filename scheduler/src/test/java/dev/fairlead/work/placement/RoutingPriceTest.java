package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.explanation.Reason;
import org.junit.jupiter.api.Test;

/** Price caps of tiers, and the order of a tier by price. */
class RoutingPriceTest extends RoutingScene {

  /** Fails when a job starts above the cap of the tier. */
  @Test
  void priceAboveTheCapIsRejectedWithBothAmounts() {
    scene.routing(queue, reserved(), onDemandAfter(0, usd(2_990_000)));
    first();
    JobBuilder second = scene.job("second").gpus(8).age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(second)).isFalse();
    assertThat(plan.why(second).blockers())
        .anySatisfy(b -> {
          assertThat(b.reason()).isEqualTo(Reason.ROUTING);
          assertThat(b.message())
              .satisfies(
                  reason(
                      "routing.dear-costs-usd-per",
                      "H100/ON_DEMAND",
                      "dear",
                      "3.00",
                      "USD",
                      2,
                      "2.99",
                      "USD"));
        });
  }

  /** Fails when an unknown price, or one in another currency, counts as cheap. */
  @Test
  void capRejectsNodesWithoutAPriceInItsCurrency() {
    scene.routing(queue, reserved(), onDemandAfter(0, new Money(9_000_000, "EUR")));
    first();
    JobBuilder second = scene.job("second").gpus(8).age(10);

    assertThat(scene.plan().starts(second)).isFalse();
  }

  /** Fails when a job for which all capacity is too expensive blocks a queue. */
  @Test
  void jobWithoutAnAffordableNodeBlocksNoQueue() {
    QuotaNodeId strict = scene.queue("strict", null, Scene.strict());
    scene.routing(strict, tier(CapacityType.RESERVED, 0, usd(500_000), RoutingPolicy.Order.FIXED));
    JobBuilder dear = scene.job("a").queue("strict", strict).gpus(8).age(60);
    JobBuilder none = scene.job("b").queue("strict", strict).cpu(1).age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(dear).reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(plan.first(dear).message())
        .satisfies(
            reason(
                "routing.reserved-costs-usd-per",
                "H100/RESERVED",
                "1.00",
                "USD",
                1,
                "0.50",
                "USD"));
    assertThat(plan.starts(none)).isTrue();
  }

  /** Fails when a job blocks the queue because of cheap capacity that could never hold it. */
  @Test
  void jobThatFitsOnlyExpensiveNodesBlocksNoQueue() {
    onDemand("big").nodes(1, 8, "H100");
    QuotaNodeId strict = scene.queue("strict", null, Scene.strict());
    scene.routing(strict, reserved(), onDemandAfter(0, usd(2_990_000)));
    JobBuilder dear = scene.job("a").queue("strict", strict).gang(2).gpus(8).age(60);
    JobBuilder small = scene.job("b").queue("strict", strict).gpus(8).age(10);

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(dear).reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(plan.first(dear).message())
        .satisfies(
            reason("routing.big-costs-usd-per", "H100/ON_DEMAND", "3.00", "USD", 2, "2.99", "USD"));
    assertThat(plan.cluster(small)).isEqualTo("reserved");
  }

  /**
   * Fails when a job blocks the queue while only capacity above its price cap is out of service.
   */
  @Test
  void nodeAboveThePriceCapStaysSoWhileItsClusterIsOutOfService() {
    scene.cluster("off", ClusterState.DRAINING, CapacityType.SPOT, false).nodes(1, 8, "H100");
    scene.costs("H100", CapacityType.SPOT, 3_000_000, "USD");
    QuotaNodeId strict = scene.queue("strict", null, Scene.strict());
    scene.routing(strict, tier(CapacityType.SPOT, 0, usd(2_990_000), RoutingPolicy.Order.FIXED));
    JobBuilder dear =
        scene.job("a").queue("strict", strict).capacity(CapacityType.SPOT).gpus(8).age(60);

    assertThat(scene.plan().first(dear).reason()).isEqualTo(Reason.NEVER_FITS);
  }

  /** Fails when nodes that a cluster has not reported yet count as missing. */
  @Test
  void priceCapIsNotFinalWhileAClusterLacksANodeReport() {
    scene.cluster("silent", ClusterState.ACTIVE, CapacityType.RESERVED, false);
    scene.routing(queue, reserved(), onDemandAfter(0, usd(2_990_000)));
    onDemand("big").nodes(1, 8, "H100");
    JobBuilder job = scene.job("a").gang(2).gpus(8).age(60);

    assertThat(scene.plan().first(job).reason()).isNotEqualTo(Reason.NEVER_FITS);
  }

  /** Fails when the cap of the first tier for a capacity type applies to later tiers. */
  @Test
  void laterTierMayPayMoreForTheSameCapacity() {
    scene.routing(
        queue,
        reserved(),
        onDemandAfter(0, usd(2_000_000)),
        onDemandAfter(TEN_MINUTES, usd(4_000_000)));
    first();
    JobBuilder early = scene.job("early").gpus(8).age(10);
    assertThat(scene.plan().starts(early)).isFalse();

    JobBuilder late = scene.job("late").gpus(8).age(TEN_MINUTES);
    assertThat(scene.plan().cluster(late)).isEqualTo("dear");
  }

  /** Fails when CHEAPEST does not use the price book. */
  @Test
  void cheapestOfATierComesFirst() {
    onDemand("cheap");
    scene.costs("cheap", "H100", CapacityType.ON_DEMAND, usd(2_000_000));
    scene.routing(queue, tier(CapacityType.ON_DEMAND, 0, null, RoutingPolicy.Order.CHEAPEST));
    JobBuilder job = scene.job("a").gpus(8).on("dear", "cheap");

    assertThat(scene.plan().cluster(job)).isEqualTo("cheap");
  }

  /** Fails when amounts in different currencies are compared. */
  @Test
  void pricesOfSeveralCurrenciesAreNotCompared() {
    onDemand("cheap");
    scene.costs("cheap", "H100", CapacityType.ON_DEMAND, new Money(2_000_000, "EUR"));
    scene.routing(queue, tier(CapacityType.ON_DEMAND, 0, null, RoutingPolicy.Order.CHEAPEST));
    JobBuilder job = scene.job("a").gpus(8).on("dear", "cheap");

    assertThat(scene.plan().cluster(job)).isEqualTo("dear");
  }
}
