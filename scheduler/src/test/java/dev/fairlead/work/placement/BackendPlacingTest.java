package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.PlacementBackend;
import dev.fairlead.fleet.cluster.connection.PodGroupApi;
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

  /** Fails if jobs start again and again on a cluster that refuses their PodGroups. */
  @Test
  void clusterWithoutThePodGroupsOfItsBackendGetsNoJobAndReportsHowToInstallThem() {
    PodGroupApi volcano = PodGroupApi.named("scheduling.volcano.sh/v1beta1").orElseThrow();
    scene.cluster("volcano").nodes(8, 8, "H100");
    scene.cluster("own").nodes(1, 8, "H100");
    scene.withoutPodGroups("volcano", volcano);
    JobBuilder small = scene.job("small").gang(1).gpus(8);
    JobBuilder named = scene.job("named").on("volcano").gang(1).gpus(8);

    Scene.Planned plan = scene.plan();

    assertThat(plan.starts(small)).isTrue();
    assertThat(plan.starts(named)).isFalse();
    assertThat(plan.first(named).reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(plan.first(named).message())
        .contains("cluster volcano refuses it", "no kind PodGroup", "helm install volcano");
  }

  /** Fails if a reason of an earlier backend stops the cluster after a change of the backend. */
  @Test
  void reasonOfAnEarlierBackendStopsNoJob() {
    scene.cluster("volcano").nodes(1, 8, "H100");
    scene.withoutPodGroups("volcano", PodGroupApi.all().getFirst());
    scene.backend("volcano", PlacementBackend.Kind.FAIRLEAD);
    JobBuilder job = scene.job("a").gpus(8);

    assertThat(scene.plan().starts(job)).isTrue();
  }

  /** Fails if jobs wait for the next report of the cluster after a change of its PodGroups. */
  @Test
  void reasonOfOtherPodGroupsStopsNoJob() {
    scene.cluster("volcano").nodes(1, 8, "H100");
    scene.withoutPodGroups("volcano", PodGroupApi.all().getFirst());
    scene.podGroups("volcano", PodGroupApi.all().getLast());
    JobBuilder job = scene.job("a").gpus(8);

    assertThat(scene.plan().starts(job)).isTrue();
  }
}
