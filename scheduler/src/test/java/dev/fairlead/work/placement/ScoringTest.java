package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.attempt.member.GpuShare;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Node of a single member, with and without shared GPUs. */
class ScoringTest {
  private final Scene scene = new Scene();

  private NodeBuilder sharing() {
    return scene.cluster("eu-1", ClusterState.ACTIVE, CapacityType.RESERVED, true);
  }

  private void fourAndFiveFree(NodeBuilder nodes) {
    nodes.used(4).nodes(1, 8, "H100").used(3).nodes(1, 8, "H100");
  }

  /** Fails when a cluster that shares GPUs continues choosing the fullest node. */
  @Test
  void fractionDoesNotFragmentWholeGpuRequests() {
    fourAndFiveFree(sharing());
    JobBuilder part = scene.job("part").gpu(GpuRequest.fraction(500)).age(100);
    JobBuilder four = scene.job("four").gpus(4);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(part)).containsExactly("eu-1-n002");
    assertThat(plan.starts(four)).isTrue();
  }

  @Test
  void withoutRequestsForFractionsTheFullestNodeIsUsed() {
    fourAndFiveFree(sharing());
    JobBuilder one = scene.job("one").gpus(1).age(100);
    scene.job("four").gpus(4);

    assertThat(scene.plan().nodes(one)).containsExactly("eu-1-n001");
  }

  /** Fails when the cached scores of a node are used after it changed. */
  @Test
  void scoresAreJudgedAfterThePlacementsOfTheSameCycle() {
    sharing().nodes(2, 1, "H100");
    JobBuilder first = scene.job("first").gpu(GpuRequest.fraction(600)).age(100);
    JobBuilder second = scene.job("second").gpu(GpuRequest.fraction(600)).age(80);
    JobBuilder third = scene.job("third").gpu(GpuRequest.fraction(600));

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(first)).containsExactly("eu-1-n001");
    assertThat(plan.nodes(second)).containsExactly("eu-1-n002");
    assertThat(plan.starts(third)).isFalse();
  }

  @Test
  void sharesFillADeviceBeforeAnotherIsUsed() {
    sharing().nodes(2, 8, "H100");
    JobBuilder large = scene.job("large").gpu(GpuRequest.fraction(600)).age(100);
    JobBuilder small = scene.job("small").gpu(GpuRequest.fraction(400));

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(small)).isEqualTo(plan.nodes(large));
    assertThat(gpus(plan, small)).isEqualTo(gpus(plan, large));
  }

  @Test
  void memberWithoutAGpuAvoidsGpuNodesWhereTheyAreShared() {
    sharing().nodes(2, 8, "H100").cpuNodes(1);
    scene.job("part").gpu(GpuRequest.fraction(500)).age(100);
    JobBuilder plain = scene.job("plain").cpu(4);

    assertThat(scene.plan().nodes(plain)).containsExactly("eu-1-n003");
  }

  /** Fails when imbalance has no cost: the fuller node would be chosen. */
  @Test
  void memberWithoutAGpuPrefersNodesWithMoreCpuThanGpu() {
    sharing()
        .cores(64)
        .used(4)
        .foreignCores(24)
        .nodes(1, 8, "H100")
        .used(3)
        .foreignCores(0)
        .nodes(1, 8, "H100");
    JobBuilder plain = scene.job("plain").cpu(4).age(100);
    scene.job("part").gpu(GpuRequest.fraction(500));

    assertThat(scene.plan().nodes(plain)).containsExactly("eu-1-n002");
  }

  /** Fails when scarcity has no cost: the node with fewer GPUs for its CPUs would be chosen. */
  @Test
  void memberWithoutAGpuLeavesCpuOfAScarceModelToJobsThatNameIt() {
    sharing().cores(96).nodes(1, 1, "T4").nodes(1, 8, "H100");
    JobBuilder plain = scene.job("plain").cpu(8).age(100);
    scene.job("part").gpu(GpuRequest.fraction(500));
    scene.job("named").gpus(1, "T4");
    scene.job("also").gpus(1, "T4");

    assertThat(scene.plan().nodes(plain)).containsExactly("eu-1-n002");
  }

  @Test
  void clusterWithTheSpreadPolicyUsesTheEmptiestNode() {
    fourAndFiveFree(scene.cluster("eu-1"));
    scene.spreads("eu-1");
    JobBuilder one = scene.job("one").gpus(1);

    assertThat(scene.plan().nodes(one)).containsExactly("eu-1-n002");
  }

  /** Fails when gangs are packed regardless of the cluster's setting. */
  @Test
  void clusterWithTheSpreadPolicySeparatesTheMembersOfAGang() {
    scene.cluster("eu-1").nodes(4, 8, "H100");
    scene.spreads("eu-1");
    JobBuilder gang = scene.job("gang").gang(3).gpus(2);

    assertThat(scene.plan().nodes(gang)).containsExactly("eu-1-n001", "eu-1-n002", "eu-1-n003");
  }

  @Test
  void spreadStaysInsideTheRequestedDomain() {
    scene.cluster("eu-1").rack("r1").nodes(2, 8, "H100").rack("r2").nodes(3, 8, "H100");
    scene.spreads("eu-1");
    JobBuilder gang = scene.job("gang").gang(4).gpus(2).inOne("rack");

    assertThat(scene.plan().nodes(gang)).containsOnly("eu-1-n001", "eu-1-n002");
  }

  /** Fails when a gang that fits only packed is not tried packed on a cluster that spreads. */
  @Test
  void jobThatCannotSpreadIsPacked() {
    scene.cluster("eu-1").nodes(2, 8, "H100");
    scene.spreads("eu-1");
    JobBuilder gang = scene.job("gang").gang(4).gpus(2);
    gang.thenRole("whole").gpus(8);

    assertThat(scene.plan().starts(gang)).isTrue();
  }

  /** Fails when only single members go by the score of the cluster. */
  @Test
  void gangMembersSharingGpusAreScoredLikeSingleMembers() {
    fourAndFiveFree(sharing());
    JobBuilder parts = scene.job("parts").gang(2).gpu(GpuRequest.fraction(500)).age(100);
    JobBuilder four = scene.job("four").gpus(4);

    Scene.Planned plan = scene.plan();

    assertThat(plan.nodes(parts)).containsExactly("eu-1-n002", "eu-1-n002");
    assertThat(plan.starts(four)).isTrue();
  }

  private static List<Integer> gpus(Scene.Planned plan, JobBuilder job) {
    return plan.places(job).getFirst().members().getFirst().gpus().stream()
        .map(GpuShare::index)
        .toList();
  }
}
