package dev.fairlead.work.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.explanation.Blocker;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said at submit about a job that could never start. */
class FeasibilityTest {
  private final Scene scene = new Scene();

  @BeforeEach
  void aFullFleet() {
    scene
        .cluster("eu-1")
        .used(8)
        .block("b1")
        .nodes(4, 8, "H100")
        .block("b2")
        .state(NodeState.CORDONED)
        .nodes(4, 8, "H100");
    scene.cluster("edge-3").nodes(2, 4, "L4");
  }

  private String said(JobBuilder job) {
    return new Feasibility(scene.clusters, scene.nodes)
        .neverFits(job.job())
        .map(Blocker::message)
        .orElse("");
  }

  @Test
  void aBusyOrCordonedFleetIsNoReason() {
    assertThat(said(scene.job("a").gang(8).gpus(8, "H100"))).isEmpty();
  }

  @Test
  void tooManyGpusForAnyNode() {
    assertThat(said(scene.job("a").gpus(16))).isEqualTo("no node has 16 GPUs; the largest has 8");
  }

  @Test
  void aModelThatIsNotThere() {
    assertThat(said(scene.job("a").gpus(1, "B200")))
        .isEqualTo("no node has B200; there are H100, L4");
  }

  @Test
  void aClusterThatIsNotThere() {
    assertThat(said(scene.job("a").on("eu-9")))
        .isEqualTo("no cluster is named eu-9; there are edge-3, eu-1");
  }

  @Test
  void aGangLargerThanAnyClusterOrBlock() {
    assertThat(said(scene.job("a").gang(9).gpus(8, "H100")))
        .isEqualTo("needs 72 H100 in one cluster, the largest cluster holds 64");
    assertThat(said(scene.job("b").gang(5).gpus(8, "H100").inOne("block")))
        .isEqualTo("needs 40 H100 in one block, the largest block holds 32");
  }

  @Test
  void aLevelALabelACapacityTypeThatIsNotThere() {
    assertThat(said(scene.job("a").gang(2).gpus(8).inOne("pod")))
        .isEqualTo(
            "no eligible cluster has a topology level 'pod'; existing levels: block, host, rack,"
                + " zone");
    assertThat(said(scene.job("b").label("disk", "nvme"))).isEqualTo("no node carries disk=nvme");
    assertThat(said(scene.job("c").capacity(CapacityType.SPOT)))
        .isEqualTo("no eligible cluster has SPOT capacity");
  }

  @Test
  void moreHostMemoryThanANodeOfThatModelHas() {
    assertThat(said(scene.job("a").gpus(1).memory(2048)))
        .isEqualTo("no node that would do has 2Ti of memory; the largest has 1Ti");
  }

  @Test
  void aFractionWhereNobodyShares() {
    assertThat(said(scene.job("a").gpu(GpuRequest.fraction(500))))
        .isEqualTo("no eligible cluster shares GPUs between members");
  }

  @Test
  void aClusterThatHasNotReportedYetLeavesItOpen() {
    scene.cluster("new", ClusterState.UNREACHABLE, CapacityType.RESERVED, false);
    assertThat(said(scene.job("a").gpus(16))).isEmpty();
  }

  @Test
  void aClusterOutOfServiceWithoutNodesLeavesNothingOpen() {
    scene.cluster("old", ClusterState.DISABLED, CapacityType.RESERVED, false);
    assertThat(said(scene.job("a").gpus(16))).isNotEmpty();
  }

  @Test
  void anEmptyInstallation() {
    assertThat(
            new Feasibility(java.util.List.of(), java.util.List.of())
                .neverFits(scene.job("a").job()))
        .map(Blocker::message)
        .contains("no cluster is registered");
  }
}
