package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.ClusterVerdict;
import dev.fairlead.work.explanation.NearMiss;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.placement.decision.Decision;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The texts for a waiting job. */
class ExplainingTest {
  private final Scene scene = new Scene();

  @Test
  void gangReportsTheFreeCapacityOfTheBestBlock() {
    scene
        .cluster("eu-1")
        .block("b1")
        .nodes(5, 8, "H100")
        .block("b2")
        .nodes(5, 8, "H100")
        .used(8)
        .nodes(3, 8, "H100");
    JobBuilder gang = scene.job("gang").gang(8).gpus(8, "H100").inOne("block");

    Scene.Planned plan = scene.plan();

    assertThat(plan.first(gang).reason()).isEqualTo(Reason.TOPOLOGY);
    assertThat(plan.first(gang).message())
        .satisfies(reason("explaining.needs-one-block-largest", 64, "H100", 40, "eu-1"));
    assertThat(plan.first(gang).numbers())
        .containsEntry("needed", 64L)
        .containsEntry("largestFree", 40L);
    assertThat(plan.why(gang).clusters())
        .extracting(ClusterVerdict::best)
        .containsExactly(new ClusterVerdict.BestDomain("block", "b1", 5, 8));
    assertThat(plan.why(gang).nearMisses())
        .contains(
            new NearMiss("workers", "8", "5", "starts now on eu-1"),
            new NearMiss("topology", "block", "prefer block", "starts now on eu-1"));
  }

  @Test
  void explanationCountsEveryNodeOfEveryCluster() {
    scene
        .cluster("eu-1")
        .used(8)
        .nodes(9, 8, "H100")
        .state(NodeState.CORDONED)
        .used(0)
        .nodes(2, 8, "H100")
        .state(NodeState.ACTIVE)
        .nodes(1, 8, "H200");
    scene.cluster("edge-3").nodes(4, 4, "L4");
    JobBuilder job = scene.job("job").gpus(8, "H100");

    List<ClusterVerdict> verdicts = scene.plan().why(job).clusters();

    ClusterVerdict edge = verdicts.get(0);
    ClusterVerdict eu = verdicts.get(1);
    assertThat(edge.filtered()).containsOnly(java.util.Map.entry("MODEL", 4));
    assertThat(eu.nodesEvaluated()).isEqualTo(12);
    assertThat(eu.filtered()).containsEntry("HEALTH", 2).containsEntry("MODEL", 1).hasSize(2);
    assertThat(eu.exhausted()).containsOnly(java.util.Map.entry("GPU", 9));
  }

  /** Fails when Capacity or Verdicts stop at one role. */
  @Test
  void everyRoleWithoutCapacityIsNamed() {
    scene.cluster("eu-1").used(8).nodes(3, 8, "H100").used(0).foreignCores(100).nodes(1, 8, "H100");
    JobBuilder job =
        scene
            .job("job")
            .gang(2)
            .gpus(8, "H100")
            .thenRole("eval")
            .gang(9)
            .gpus(1)
            .thenRole("head")
            .cpu(2)
            .thenRole("prepare")
            .gang(8)
            .cpu(64);

    Scene.Planned plan = scene.plan();

    assertThat(plan.why(job).blockers())
        .extracting(Blocker::message)
        .containsExactly(
            "role 'worker' needs 16 H100, room for 8 (eu-1)",
            "role 'eval' needs 9 H100, room for 8 (eu-1)",
            "role 'prepare' needs 8 x 64 cpu and 2Gi, room for 3 (eu-1)");
    assertThat(plan.why(job).clusters())
        .extracting(verdict -> verdict.flavor().model())
        .containsExactly("CPU", "H100");
    assertThat(plan.why(job).clusters().getLast().exhausted())
        .as("of the workers")
        .containsOnly(java.util.Map.entry("GPU", 3));
  }

  /** Fails when Verdicts counts the most demanding role although it fits. */
  @Test
  void nodesAreCountedForTheRoleWithoutCapacity() {
    scene.cluster("eu-1").nodes(1, 8, "H100").used(6).nodes(2, 8, "H100");
    JobBuilder job =
        scene.job("job").gang(1).gpus(8, "H100").cpu(1).thenRole("eval").gang(20).gpus(1, "H100");

    assertThat(scene.plan().first(job).message())
        .satisfies(reason("explaining.role-eval-needs-room", "eval", 20, "H100", 12, "eu-1"));
    assertThat(scene.plan().why(job).clusters().getFirst().exhausted()).isEmpty();
  }

  @Test
  void incompatibleRolesReportTheOptionsOfEach() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    JobBuilder job =
        scene.job("job").gang(2).gpus(8, "H100").thenRole("eval").gang(4).gpus(1, "H100");

    Blocker first = scene.plan().first(job);

    assertThat(first.message())
        .satisfies(reason("explaining.roles-fit-one-one", 16, "H100", 16, 4, "H100", 16, "eu-1"));
    assertThat(first.numbers())
        .containsEntry("worker.needed", 16L)
        .containsEntry("eval.largestFree", 16L);
  }

  @Test
  void requestLargerThanEveryNodeIsExplained() {
    scene.cluster("eu-1").used(8).nodes(2, 8, "H100").used(0).nodes(1, 8, "H100");
    JobBuilder job = scene.job("job").gpus(16, "H100");

    Blocker first = scene.plan().first(job);

    assertThat(first.reason()).isEqualTo(Reason.NEVER_FITS);
    assertThat(first.message()).satisfies(reason("explaining.node-largest", 16, "H100", 8));
    assertThat(scene.plan().why(job).nearMisses())
        .containsExactly(new NearMiss("gpu.count", "16", "8", "starts now on eu-1"));
  }

  @Test
  void nearMissesNameOtherClustersModelsAndCapacityTypes() {
    scene.cluster("eu-1").used(8).nodes(1, 8, "H100");
    scene.cluster("us-2").nodes(1, 8, "H200");
    scene
        .cluster("on-demand", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false)
        .nodes(1, 8, "H100");
    JobBuilder here = scene.job("here").gpus(8).on("eu-1");
    JobBuilder model = scene.job("model").gpus(8, "H100").capacity(CapacityType.RESERVED);

    Scene.Planned plan = scene.plan();

    assertThat(plan.why(here).nearMisses())
        .extracting(NearMiss::field, NearMiss::to)
        .contains(org.assertj.core.groups.Tuple.tuple("placement.clusters", "us-2"));
    assertThat(plan.why(model).nearMisses())
        .contains(
            new NearMiss("gpu.model", "H100", "H200", "starts now on us-2"),
            new NearMiss(
                "placement.capacity", "RESERVED", "RESERVED,ON_DEMAND", "starts now on on-demand"));
  }

  @Test
  void aLaterTierOpensOnlyAfterTheWait() {
    scene.cluster("eu-1").used(8).nodes(1, 8, "H100");
    scene
        .cluster("on-demand", ClusterState.ACTIVE, CapacityType.ON_DEMAND, false)
        .nodes(1, 8, "H100");
    JobBuilder fresh =
        scene.job("fresh").gpus(8).waiting(CapacityType.RESERVED, Duration.ofMinutes(30));
    JobBuilder patient =
        scene
            .job("patient")
            .gpus(8)
            .waiting(CapacityType.RESERVED, Duration.ofMinutes(30))
            .age(1800);

    Scene.Planned plan = scene.plan();

    assertThat(plan.cluster(patient)).isEqualTo("on-demand");
    assertThat(plan.why(fresh).blockers())
        .extracting(Blocker::message)
        .anySatisfy(reason("explaining.capacity-tried-only-after", "ON_DEMAND", "placement.wait"));
  }

  @Test
  void fittingClusterOutOfServiceIsNamed() {
    scene
        .cluster("eu-1", ClusterState.UNREACHABLE, CapacityType.RESERVED, false)
        .nodes(1, 8, "H100");
    scene.cluster("edge-3", ClusterState.DISABLED, CapacityType.RESERVED, false).nodes(1, 4, "L4");
    JobBuilder job = scene.job("job").gpus(8, "H100");

    assertThat(scene.plan().why(job).blockers())
        .extracting(Blocker::message)
        .containsExactly("cluster eu-1 is UNREACHABLE");
  }

  @Test
  void timesDependenciesAndBackOffAreReportedWithOtherObstacles() {
    scene.cluster("eu-1").used(8).nodes(1, 8, "H100");
    JobBuilder later = scene.job("later").gpus(8).notBefore(Scene.NOW.plusSeconds(60));
    JobBuilder after = scene.job("after").gpus(1).waitsFor("prepare", "fetch");
    JobBuilder vain = scene.job("vain").gpus(1).waitsInVain("failed-one");
    JobBuilder again = scene.job("again").gpus(1).retryAt(0, Scene.NOW.plusMillis(9_001));

    Scene.Planned plan = scene.plan();

    assertThat(plan.why(later).blockers())
        .extracting(Blocker::reason)
        .containsExactly(Reason.NOT_BEFORE, Reason.CAPACITY);
    assertThat(plan.first(after).message()).isEqualTo("waits for fetch, prepare");
    assertThat(plan.first(vain).reason()).isEqualTo(Reason.MISCONFIGURED);
    assertThat(plan.first(vain).message())
        .satisfies(reason("explaining.depends-job-failed-one", "failed-one", "FAILED"));
    assertThat(plan.why(again).blockers()).extracting(Blocker::reason).contains(Reason.BACKING_OFF);
    assertThat(plan.why(again).blockers())
        .extracting(Blocker::message)
        .contains("retry at " + Scene.NOW.plusSeconds(10) + " (attempt 2 of 3)");
    assertThat(plan.why(later).nearMisses()).isEmpty();
  }

  @Test
  void elementInBackOffDoesNotBlockItsArray() {
    scene.cluster("eu-1").nodes(1, 8, "H100");
    JobBuilder array = scene.job("array").gpus(1).array(3).retryAt(1, Scene.NOW.plusSeconds(10));

    Scene.Planned plan = scene.plan();

    assertThat(plan.places(array)).extracting(Decision.Place::element).containsExactly(0, 2);
    assertThat(plan.first(array).reason()).isEqualTo(Reason.BACKING_OFF);
  }

  @Test
  void hostShortageIsNamedWhereGpusAreFree() {
    scene.cluster("eu-1").foreignCores(100).nodes(2, 8, "H100");
    JobBuilder job = scene.job("job").gpus(8).cpu(64);

    assertThat(scene.plan().first(job).message())
        .satisfies(reason("explaining.needs-cpu-one-node", 8, "H100", 64, "2Gi", "eu-1"));
    assertThat(scene.plan().why(job).clusters().getFirst().exhausted())
        .containsOnly(java.util.Map.entry("CPU", 2));
  }

  @Test
  void equalJobsShareOneExplanationWhoseKeyIsStable() {
    scene.cluster("eu-1").used(8).nodes(2, 8, "H100");
    JobBuilder one = scene.job("one").gpus(8).age(100);
    JobBuilder two = scene.job("two").gpus(8).age(50);
    JobBuilder other = scene.job("other").gpus(4);

    Scene.Planned plan = scene.plan();

    assertThat(plan.classKey(one)).isEqualTo(plan.classKey(two)).isNotEqualTo(plan.classKey(other));
    assertThat(plan.plan().explanations()).hasSize(2);
    assertThat(plan.classKey(one))
        .as("stored explanations survive a restart: change it knowingly")
        .isEqualTo("a7fcb742aa4118b585d750129bd5e77d");
  }
}
