package dev.fairlead.work.placement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.work.explanation.Blocker;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The answer to a submit of a job that could never start. */
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
  void busyOrCordonedNodesDoNotMakeAJobInfeasible() {
    assertThat(said(scene.job("a").gang(8).gpus(8, "H100"))).isEmpty();
  }

  @Test
  void memberWithMoreGpusThanAnyNodeIsInfeasible() {
    assertThat(said(scene.job("a").gpus(16)))
        .satisfies(reason("feasibility.node-gpus-largest", 16, 8));
  }

  @Test
  void unknownModelIsInfeasible() {
    assertThat(said(scene.job("a").gpus(1, "B200")))
        .satisfies(reason("feasibility.node-there", "B200", "H100", "L4"));
  }

  @Test
  void unknownClusterIsInfeasible() {
    assertThat(said(scene.job("a").on("eu-9")))
        .satisfies(reason("feasibility.cluster-named-there", "eu-9", "edge-3", "eu-1"));
  }

  @Test
  void gangLargerThanAnyClusterOrBlockIsInfeasible() {
    assertThat(said(scene.job("a").gang(9).gpus(8, "H100")))
        .satisfies(reason("feasibility.needs-one-cluster-largest", 72, "H100", 64));
    assertThat(said(scene.job("b").gang(5).gpus(8, "H100").inOne("block")))
        .satisfies(reason("feasibility.needs-one-block-largest", 40, "H100", 32));
  }

  @Test
  void unknownLevelLabelOrCapacityTypeIsInfeasible() {
    assertThat(said(scene.job("a").gang(2).gpus(8).inOne("pod")))
        .satisfies(reason("feasibility.eligible-cluster-topology-level", "pod"));
    assertThat(said(scene.job("b").label("disk", "nvme"))).isEqualTo("no node carries disk=nvme");
    assertThat(said(scene.job("c").capacity(CapacityType.SPOT)))
        .satisfies(reason("feasibility.eligible-cluster-spot-capacity", "SPOT"));
  }

  @Test
  void hostMemoryAboveTheNodesOfThatModelIsInfeasible() {
    assertThat(said(scene.job("a").gpus(1).memory(2048)))
        .satisfies(reason("feasibility.node-would-do-memory", "2Ti", "1Ti"));
  }

  @Test
  void fractionOnNodesWithoutSharingIsInfeasible() {
    assertThat(said(scene.job("a").gpu(GpuRequest.fraction(500))))
        .satisfies(reason("feasibility.eligible-cluster-shares-gpus"));
  }

  @Test
  void clusterWithoutAReportLeavesFeasibilityOpen() {
    scene.cluster("new", ClusterState.UNREACHABLE, CapacityType.RESERVED, false);
    assertThat(said(scene.job("a").gpus(16))).isEmpty();
  }

  @Test
  void clusterOutOfServiceWithoutNodesIsInfeasible() {
    scene.cluster("old", ClusterState.DISABLED, CapacityType.RESERVED, false);
    assertThat(said(scene.job("a").gpus(16))).isNotEmpty();
  }

  @Test
  void jobIsInfeasibleWithoutClusters() {
    assertThat(
            new Feasibility(java.util.List.of(), java.util.List.of())
                .neverFits(scene.job("a").job()))
        .map(Blocker::message)
        .contains("no cluster is registered");
  }
}
