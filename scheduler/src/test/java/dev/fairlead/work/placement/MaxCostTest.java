package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.money.price.Money;
import dev.fairlead.money.price.Quote;
import dev.fairlead.work.explanation.ClusterVerdict;
import dev.fairlead.work.explanation.NearMiss;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.estimate.Forecast;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The maximum cost of a job by its longest runtime. */
class MaxCostTest {
  private static final Duration RUNTIME = Duration.ofHours(8);
  private static final String TOO_DEAR =
      "H100/ON_DEMAND on dear costs 41.20 USD by maxRuntime 8h; maxCost is 30.00 USD";
  private final Scene scene = new Scene();

  /** Eight GPUs for eight hours cost 41.20. */
  @BeforeEach
  void capacityForFortyOneTwenty() {
    onDemand("dear", new Money(643_750, "USD"));
  }

  private void onDemand(String name, Money price) {
    scene.cluster(name, ClusterState.ACTIVE, CapacityType.ON_DEMAND, false).nodes(1, 8, "H100");
    scene.costs(name, "H100", CapacityType.ON_DEMAND, price);
  }

  private JobBuilder job() {
    return scene.job("job").gpus(8).maxRuntime(RUNTIME).costsAtMost(30_000_000, "USD");
  }

  /** Fails when TierRule does not consider the cost. */
  @Test
  void jobDoesNotStartAboveItsMaxCostAndReportsARemedy() {
    JobBuilder job = job();

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(job)).isFalse();
    assertThat(plan.first(job).reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(plan.first(job).message()).isEqualTo(TOO_DEAR);
    assertThat(plan.first(job).action())
        .satisfies(
            reason("max-cost.submit-higher-placement-maxcost", "placement.maxCost", "maxRuntime"));
    assertThat(plan.why(job).nearMisses())
        .contains(
            new NearMiss("placement.maxCost", "30.00 USD", "41.20 USD", "starts now on dear"),
            new NearMiss("maxRuntime", "8h", "349m", "starts now on dear"));
    assertThat(plan.why(job).clusters())
        .extracting(ClusterVerdict::cluster, ClusterVerdict::filtered)
        .containsExactly(tuple("dear", new TreeMap<>(Map.of("PRICE", 1))));
  }

  /** Fails when the cheapest of the too expensive candidates is not named first. */
  @Test
  void theCheapestCandidateIsNamedFirst() {
    onDemand("cheaper", new Money(500_000, "USD"));
    JobBuilder job = job();

    assertThat(scene.plan().first(job).message())
        .isEqualTo(
            "H100/ON_DEMAND on cheaper costs 32.00 USD by maxRuntime 8h; maxCost is 30.00 USD; "
                + TOO_DEAR);
  }

  /** To a millionth. Fails when the cost is rounded down, or counts fewer members or hours. */
  @ParameterizedTest
  @CsvSource({"468750, true", "468751, false"})
  void aJobStartsAtItsMaxCost(long micros, boolean starts) {
    onDemand("fair", new Money(micros, "USD"));

    JobBuilder job = job();

    assertThat(scene.plan().starts(job)).isEqualTo(starts);
  }

  /** Fails when jobs that differ in their runtime share a decision. */
  @Test
  void shorterJobStartsWhereALongerOneIsTooExpensive() {
    JobBuilder longer = job().age(60);
    JobBuilder shorter =
        scene.job("b").gpus(8).maxRuntime(Duration.ofHours(5)).costsAtMost(30_000_000, "USD");

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(longer)).isFalse();
    assertThat(plan.cluster(shorter)).isEqualTo("dear");
  }

  @Test
  void reservedCapacityAndMembersWithoutGpusMayCostAnything() {
    scene.cluster("own").nodes(1, 8, "H100");
    scene.costs("own", "H100", CapacityType.RESERVED, new Money(9_000_000, "USD"));
    JobBuilder job = job();
    JobBuilder cpu = scene.job("cpu").cpu(1).on("dear").maxRuntime(RUNTIME).costsAtMost(1, "USD");

    Scene.Planned plan = scene.plan();

    assertThat(plan.cluster(job)).isEqualTo("own");
    assertThat(plan.cluster(cpu)).isEqualTo("dear");
  }

  /** Fails when an unknown price, or one in another currency, counts as cheap. */
  @Test
  void capacityWithoutAPriceInTheCurrencyIsRefused() {
    scene
        .cluster("unpriced", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false)
        .nodes(1, 8, "H100");
    onDemand("euros", new Money(1, "EUR"));
    JobBuilder job = job().on("unpriced", "euros");

    assertThat(scene.plan().first(job).message())
        .satisfies(
            reason(
                "max-cost.euros-costs-eur-maxruntime",
                "H100/ON_DEMAND",
                "euros",
                "0.000064",
                "EUR",
                "maxRuntime",
                "8h",
                "maxCost",
                "30.00",
                "USD",
                "H100/ON_DEMAND",
                "unpriced",
                "maxCost",
                "30.00",
                "USD"));
  }

  /** Fails when the quote of a plan and the cap are calculated differently. */
  @Test
  void capIsComparedWithTheQuoteOfThePlan() {
    JobBuilder job = job();
    World world = scene.world();

    Forecast.Candidate candidate =
        Forecaster.of(new Snapshot(world, List.of(), Snapshot.WORK_BUDGET), job.pending().job())
            .candidates()
            .getFirst();

    assertThat(candidate.tooDear()).isTrue();
    assertThat(candidate.blockers().getFirst().message()).isEqualTo(TOO_DEAR);
    assertThat(Quote.of(world.prices(), candidate.demand(), world.asOf(), RUNTIME).byMaxRuntime())
        .isEqualTo(new Money(41_200_000, "USD"));
  }

  /** An elastic job counts at its full size. Fails when the fewest members are counted. */
  @Test
  void elasticJobIsPricedAtItsFullSize() {
    scene.cluster("two", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false).nodes(2, 8, "H100");
    scene.costs("two", "H100", CapacityType.ON_DEMAND, new Money(300_000, "USD"));
    JobBuilder job = job().elastic(1, 2);

    assertThat(scene.plan().first(job).message())
        .startsWith("H100/ON_DEMAND on two costs 38.40 USD by maxRuntime 8h");
  }
}
