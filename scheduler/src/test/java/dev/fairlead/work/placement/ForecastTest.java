package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.UserLimits;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.estimate.Forecast;
import dev.fairlead.work.world.World;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The forecast for a job before its submit. */
class ForecastTest {
  private static final Flavor H100 = new Flavor("H100", CapacityType.RESERVED);
  private final Scene scene = new Scene();

  private Forecast forecast(JobBuilder job) {
    return Forecaster.of(
        new Snapshot(scene.world(), List.of(), 1_000_000_000), job.pending().job());
  }

  /**
   * Fails when a too expensive candidate hides the estimate of the only other candidate, or gets
   * it.
   */
  @Test
  void tooExpensiveRouteNeitherHidesNorHasAnEstimate() {
    scene.cluster("busy").nodes(1, 8, "H100");
    scene.cluster("dear", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false).nodes(1, 8, "H100");
    JobBuilder runs = scene.job("runs").gpus(8).on("busy").maxRuntime(Duration.ofHours(1));
    Story story = new Story(scene);
    assertThat(story.plan().cluster(runs)).isEqualTo("busy");
    JobBuilder job =
        new JobBuilder("late", 500, scene.quotas.getFirst().id())
            .gpus(8)
            .paysUpTo(3_000_000, "USD");
    World now = story.submit(job).look().world();
    Forecast forecast =
        Forecaster.of(new Snapshot(now, List.of(), 1_000_000_000), job.pending().job());

    Forecast.Candidate busy = candidate(forecast, "busy");
    Forecast.Candidate dear = candidate(forecast, "dear");
    assertThat(forecast.explanation().estimate()).isNotNull();
    assertThat(forecast.later(busy)).isEqualTo(forecast.explanation().estimate());
    assertThat(forecast.later(dear)).isNull();
  }

  private static Forecast.Candidate candidate(Forecast forecast, String cluster) {
    return forecast.candidates().stream()
        .filter(each -> each.cluster().equals(cluster))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void eachRouteShowsItsCapacityPriceAndShortfall() {
    scene.cluster("eu-1").block("b1").nodes(5, 8, "H100").block("b2").nodes(3, 8, "H100");
    scene.price("eu-1", "H100", 2_500_000);
    scene.cluster("us-2").block("b1").nodes(8, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(8).gpus(8, "H100").inOne("block");

    Forecast forecast = forecast(gang);

    assertThat(forecast.starting()).isEqualTo(1);
    assertThat(forecast.explanation()).isNull();
    Forecast.Candidate eu = forecast.candidates().get(0);
    Forecast.Candidate us = forecast.candidates().get(1);
    assertThat(eu.cluster()).isEqualTo("eu-1");
    assertThat(eu.chosen()).isFalse();
    assertThat(eu.free()).isEqualTo(64_000);
    assertThat(eu.pricePerGpuHour()).isEqualTo(2_500_000);
    assertThat(eu.blockers()).extracting(Blocker::reason).containsExactly(Reason.TOPOLOGY);
    assertThat(eu.largestGang()).contains(new Forecast.LargestGang("block", 40, "b1"));
    assertThat(us.chosen()).isTrue();
    assertThat(us.blockers()).isEmpty();
  }

  @Test
  void quotaIsShownBeforeAndAfterAlongThePath() {
    scene.cluster("eu-1").nodes(4, 8, "H100");
    QuotaNodeId group = scene.group("org", new QuotaLimit(H100, "gpu", 64_000L, null, null));
    QuotaNodeId team =
        scene.queue(
            "team",
            group,
            QueueSettings.DEFAULT,
            new QuotaLimit(H100, "gpu", 8_000L, 8_000L, null));
    JobBuilder job = scene.job("job").queue("team", team).gang(2).gpus(8, "H100");

    Forecast forecast = forecast(job);

    assertThat(forecast.starting()).isEqualTo(1);
    assertThat(forecast.quota())
        .contains(
            new Forecast.QuotaEffect("team", H100, "gpu", 8_000L, 0, 16_000, 8_000, 16_000L),
            new Forecast.QuotaEffect("org", H100, "gpu", 64_000L, 0, 16_000, 0, null));
  }

  @Test
  void permanentObstacleIsNotFeasible() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    QuotaNodeId team =
        scene.queue(
            "team", null, QueueSettings.DEFAULT, new QuotaLimit(H100, "gpu", 8_000L, null, null));
    JobBuilder tooLarge = scene.job("too-large").gang(3).gpus(8, "H100");
    JobBuilder tooPoor = scene.job("too-poor").queue("team", team).gang(2).gpus(8, "H100");

    assertThat(forecast(tooLarge).feasible()).isFalse();
    assertThat(forecast(tooLarge).explanation().first().reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(forecast(tooPoor).feasible()).isFalse();
    assertThat(forecast(tooPoor).explanation().first().reason()).isEqualTo(Reason.NEVER_FITS);
  }

  /** Fails when a plan reports a job as feasible that exceeds the user limit of the queue. */
  @Test
  void requestAboveTheUserLimitOfTheQueueIsNotFeasible() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    UserLimits limits = new UserLimits(null, 4_000L, null, null);
    QuotaNodeId team = scene.queue("team", null, QueueSettings.DEFAULT.withUserLimits(limits));
    JobBuilder tooMuch = scene.job("too-much").queue("team", team).gpus(8, "H100");
    JobBuilder enough = scene.job("enough").queue("team", team).gpus(4, "H100");

    assertThat(forecast(tooMuch).feasible()).isFalse();
    assertThat(forecast(tooMuch).explanation().first().reason()).isEqualTo(Reason.USER_LIMIT);
    assertThat(forecast(enough).feasible()).isTrue();
  }

  @Test
  void jobsAheadUseTheirCapacityFirst() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    scene.job("ahead").gpus(8, "H100").age(60);
    JobBuilder job = scene.job("job").gpus(8, "H100");

    Forecast forecast = forecast(job);

    assertThat(forecast.starting()).isZero();
    assertThat(forecast.feasible()).isTrue();
    assertThat(forecast.explanation().first().reason()).isEqualTo(Reason.CAPACITY);
  }
}
