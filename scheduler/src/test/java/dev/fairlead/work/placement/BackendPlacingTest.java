package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.spec.PreflightSpec;
import org.junit.jupiter.api.Test;

/** Jobs that the backend of a cluster refuses. */
class BackendPlacingTest {
  private final Scene scene = new Scene();

  private void clusters(int nodes) {
    scene.cluster("kueue").nodes(8, 8, "H100");
    scene.backend("kueue", PlacementBackend.Kind.KUEUE);
    scene.cluster("own").nodes(nodes, 8, "H100");
  }

  /** Fails if the planner offers the gang to the larger cluster, which refuses it each time. */
  @Test
  void gangIsNotOfferedToAClusterWhoseBackendRejectsIt() {
    clusters(2);
    JobBuilder job = scene.job("a").gang(4).gpus(8).inOne("zone");

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(job)).isFalse();
    Blocker first = plan.first(job);
    assertThat(first.reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(first.message())
        .contains("the largest zone holds 16")
        .contains("cluster kueue refuses it", "a required topology");
  }

  /** Fails if another scheduler spreads a role that needs one zone. */
  @Test
  void aTopologyOfARoleIsRefusedLikeATopologyOfTheJob() {
    clusters(2);
    JobBuilder job = scene.job("a").gang(4).gpus(8).roleTopology("zone");

    assertThat(scene.plan().first(job).message()).contains("cluster kueue refuses it");
  }

  /** Fails if a job runs on untested nodes. */
  @Test
  void aJobWithAPreflightTestStartsWhereFairleadChoosesTheNodes() {
    clusters(2);
    JobBuilder job = scene.job("a").gang(4).gpus(8).preflight(PreflightSpec.OnUntested.START);

    assertThat(scene.plan().first(job).message())
        .contains("cluster kueue refuses it", "a preflight test");
  }

  @Test
  void gangStartsOnAClusterThatAcceptsIt() {
    clusters(4);
    JobBuilder job = scene.job("a").gang(4).gpus(8).inOne("zone");

    assertThat(scene.plan().starts(job)).isTrue();
  }

  @Test
  void aGangWithoutTheRequestStartsOnTheClusterWithAnotherScheduler() {
    clusters(2);
    JobBuilder job = scene.job("a").gang(4).gpus(8);

    assertThat(scene.plan().starts(job)).isTrue();
  }

  @Test
  void jobRejectedByEveryEligibleClusterShowsTheRequest() {
    clusters(2);
    JobBuilder job = scene.job("a").on("kueue").gang(2).gpus(8).inOne("zone");

    assertThat(scene.plan().first(job).message())
        .startsWith("no eligible cluster accepts")
        .contains("cluster kueue refuses it");
  }
}
