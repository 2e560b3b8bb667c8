package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.RoutingPolicy;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.ClusterVerdict;
import dev.fairlead.work.explanation.NearMiss;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.estimate.Forecast;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The maximum price of a job per GPU hour. */
class PriceCapTest {
  private static final String TOO_DEAR =
      "H100/ON_DEMAND on dear costs 4.20 USD per GPU-hour; the job pays up to 3.00 USD";
  private final Scene scene = new Scene();

  @BeforeEach
  void capacityForFourTwenty() {
    onDemand("dear", new Money(4_200_000, "USD"));
  }

  private void onDemand(String name, Money price) {
    scene.cluster(name, ClusterState.ACTIVE, CapacityType.ON_DEMAND, false).nodes(1, 8, "H100");
    scene.costs(name, "H100", CapacityType.ON_DEMAND, price);
  }

  private JobBuilder job() {
    return scene.job("job").gpus(8).paysUpTo(3_000_000, "USD");
  }

  /** Fails when FlavorAssignments accepts flavors that cost more. */
  @Test
  void jobDoesNotStartAboveItsPriceCapAndReportsBothAmounts() {
    JobBuilder job = job();

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(job)).isFalse();
    assertThat(plan.first(job).reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(plan.first(job).message()).isEqualTo(TOO_DEAR);
    assertThat(plan.why(job).nearMisses())
        .contains(
            new NearMiss(
                "placement.maxPricePerGpuHour", "3.00 USD", "4.20 USD", "starts now on dear"));
  }

  /** Fails when a model that a cluster does not have is looked up in the price book. */
  @Test
  void priceIsNotTheReasonIfTheModelIsMissing() {
    scene.cluster("edge", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false).nodes(2, 8, "L4");
    JobBuilder job = scene.job("job").gpus(8, "H100").paysUpTo(3_000_000, "USD");

    assertThat(scene.plan().why(job).clusters())
        .extracting(ClusterVerdict::cluster, ClusterVerdict::filtered)
        .containsExactly(
            tuple("dear", new TreeMap<>(Map.of("PRICE", 1))),
            tuple("edge", new TreeMap<>(Map.of("MODEL", 2))));
  }

  @Test
  void aJobStartsAtItsCap() {
    onDemand("fair", new Money(3_000_000, "USD"));

    JobBuilder job = job();

    assertThat(scene.plan().cluster(job)).isEqualTo("fair");
  }

  /**
   * Fails when the explanation omits candidates that are too expensive because another candidate
   * could hold the job.
   */
  @Test
  void jobWaitingForCheaperCapacityReportsTheExpensiveOptions() {
    onDemand("fair", new Money(3_000_000, "USD"));
    scene.job("first").gpus(8).on("fair").age(60);
    JobBuilder job = job();

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(job).reason()).isEqualTo(Reason.CAPACITY);
    assertThat(plan.why(job).blockers())
        .extracting(Blocker::reason, Blocker::message)
        .contains(tuple(Reason.ROUTING, TOO_DEAR));
  }

  /** Fails when reserved capacity, which is paid for in any case, is measured by a cap. */
  @Test
  void reservedCapacityMayCostAnything() {
    scene.cluster("own").nodes(1, 8, "H100");
    scene.costs("own", "H100", CapacityType.RESERVED, new Money(9_000_000, "USD"));

    JobBuilder job = job();

    assertThat(scene.plan().cluster(job)).isEqualTo("own");
  }

  /** Fails when an unknown price, or one in another currency, counts as cheap. */
  @Test
  void capacityWithoutAPriceInTheCurrencyIsRefused() {
    scene
        .cluster("unpriced", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false)
        .nodes(1, 8, "H100");
    onDemand("euros", new Money(1_000_000, "EUR"));
    JobBuilder job = job().on("unpriced", "euros");

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(job)).isFalse();
    assertThat(plan.first(job).message())
        .satisfies(
            reason(
                "price-cap.euros-costs-eur-per",
                "H100/ON_DEMAND",
                "euros",
                "1.00",
                "EUR",
                "3.00",
                "USD",
                "H100/ON_DEMAND",
                "unpriced",
                "3.00",
                "USD"));
    assertThat(plan.first(job).action()).satisfies(reason("price-cap.operator-adds-price-price"));
  }

  /** Fails when the caps are not part of the shared key of jobs of one class. */
  @Test
  void jobsWithDifferentCapsShareNoDecision() {
    JobBuilder poor = job().age(60);
    JobBuilder rich = scene.job("rich").gpus(8).paysUpTo(5_000_000, "USD").age(1);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(poor)).isFalse();
    assertThat(plan.cluster(rich)).isEqualTo("dear");
  }

  /** Fails when a job for which all capacity is too expensive delays its queue. */
  @Test
  void jobWithoutAnAffordableNodeBlocksNoQueue() {
    QuotaNodeId strict = scene.queue("strict", null, Scene.strict());
    job().queue("strict", strict).age(60);
    JobBuilder next = scene.job("next").queue("strict", strict).gpus(8).age(1);

    assertThat(scene.plan().cluster(next)).isEqualTo("dear");
  }

  @Test
  void membersWithoutGpusHaveNoPrice() {
    JobBuilder cpu = scene.job("cpu").cpu(1).paysUpTo(1, "USD");

    assertThat(scene.plan().cluster(cpu)).isEqualTo("dear");
  }

  /** Fails when the cap of the tier raises the cap of the job. */
  @Test
  void capsOfQueueAndJobBothApply() {
    scene.routing(
        scene.quotas.getFirst().id(),
        new RoutingPolicy.Tier(
            List.of(),
            List.of(),
            List.of(),
            Duration.ZERO,
            new Money(5_000_000, "USD"),
            RoutingPolicy.Order.FIXED));
    JobBuilder job = job();

    assertThat(scene.plan().first(job).message()).isEqualTo(TOO_DEAR);
  }

  /** Fails when the plan omits the capacity that the job would get for a higher price. */
  @Test
  void forecastListsExpensiveOptionsAsCandidates() {
    onDemand("fair", new Money(3_000_000, "USD"));
    JobBuilder job = job();

    Forecast forecast =
        Forecaster.of(
            new Snapshot(scene.world(), List.of(), Snapshot.WORK_BUDGET), job.pending().job());

    assertThat(forecast.candidates())
        .extracting(
            Forecast.Candidate::cluster, c -> c.blockers().stream().map(Blocker::message).toList())
        .containsExactly(tuple("fair", List.of()), tuple("dear", List.of(TOO_DEAR)));
  }

  /** Fails when Growth does not consider the price. */
  @Test
  void elasticJobDoesNotGrowAboveItsPriceCap() {
    assertThat(grown(3_000_000)).isEqualTo(1);
    assertThat(grown(3_000_001)).isZero();
  }

  /** Members that an elastic job with a cap of 3.00 gets at this later price. */
  private static long grown(long micros) {
    Scene scene = new Scene();
    scene.cluster("any", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false).nodes(2, 8, "H100");
    JobBuilder other = scene.job("other").gpus(8).age(90);
    scene.costs("H100", CapacityType.ON_DEMAND, 0, "USD");
    JobBuilder job = scene.job("job").elastic(1, 2).gpus(8).paysUpTo(3_000_000, "USD").age(60);
    Story story = new Story(scene);
    assertThat(story.plan().nodes(job)).hasSize(1);
    story.pass(Duration.ofMinutes(30)).ends(other);
    Scene later = new Scene();
    later.costs("H100", CapacityType.ON_DEMAND, micros, "USD");
    World world = story.world().toBuilder().prices(later.world().prices()).build();
    Snapshot snapshot = new Snapshot(world, List.of(), Snapshot.WORK_BUDGET);
    return new SchedulingEngine()
        .plan(snapshot).decisions().stream().filter(Decision.Grow.class::isInstance).count();
  }
}
