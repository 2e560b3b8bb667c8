package dev.fairlead.work.workload.simulation;

import static dev.fairlead.work.workload.simulation.VirtualCluster.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.connection.FleetPool;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.kernel.resources.GpuRequest;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.ActionOutcome;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.judgement.ObservedMember;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A node never gets more than its capacity, regardless of plans. */
class AdmissionTest {
  private static final String NODE = "sim-gpu-0000";

  private final VirtualCluster sim = VirtualCluster.ofNodes(1);

  @Test
  void aFullNodeRefusesAnotherGpu() {
    sim.launch(job().gpus(8));
    assertThat(refusal(job())).isEqualTo("OutOfnvidia.com/gpu");
  }

  @Test
  void deviceIsNotAllocatedTwiceThoughOthersAreFree() {
    sim.launch(job());
    assertThat(refusal(job())).isEqualTo("OutOfnvidia.com/gpu");
  }

  @Test
  void fractionsShareADeviceUntilItIsFull() {
    Specs half = Specs.job("half").gpu(GpuRequest.fraction(500)).workers(2);
    LaunchOrder both = sim.launch(half);
    sim.advanceSeconds(1);
    assertThat(sim.member(both, 1).state()).isEqualTo(MemberState.RUNNING);
    assertThat(refusal(Specs.job("third").gpu(GpuRequest.fraction(10))))
        .isEqualTo("OutOfnvidia.com/gpu");
  }

  @Test
  void processorsAndMemoryAreCountedToo() {
    assertThat(refusal(job().cpuMilli(128_001))).isEqualTo("OutOfcpu");
    assertThat(refusal(job().memoryMiB((2L << 20) + 1))).isEqualTo("OutOfmemory");
  }

  @Test
  void foreignPodsUseCapacityAndReleaseIt() {
    sim.cluster.foreignPod(NODE, ResourceVector.of(120_000, 0, 0, 1));
    assertThat(sim.node(NODE).foreign().cpuMilli()).isEqualTo(120_000);
    assertThat(refusal(job().cpuMilli(8_001))).isEqualTo("OutOfcpu");
    sim.cluster.removeForeignPods(NODE);
    LaunchOrder order = sim.launch(job().cpuMilli(8_001));
    sim.advanceSeconds(1);
    assertThat(sim.member(order, 0).state()).isEqualTo(MemberState.RUNNING);
  }

  @Test
  void terminatingPodStillHoldsItsResources() {
    LaunchOrder slow = sim.launch(job().gpus(8).annotation("sim.fairlead.dev/stop-after", "20s"));
    sim.advanceSeconds(1);
    sim.stop(slow, Duration.ofSeconds(30));
    assertThat(refusal(job())).isEqualTo("OutOfnvidia.com/gpu");
    sim.advanceSeconds(20);
    LaunchOrder next = sim.launch(job());
    sim.advanceSeconds(1);
    assertThat(sim.member(next, 0).state()).isEqualTo(MemberState.RUNNING);
  }

  @Test
  void lostGpuIsReportedAndNotAllocated() {
    sim.cluster.loseGpu(NODE, 0);
    assertThat(sim.node(NODE).gpus().getFirst().state()).isEqualTo(GpuState.FAILED);
    assertThat(sim.node(NODE).allocatable().gpuMilli()).isEqualTo(7_000);
    assertThat(refusal(job())).isEqualTo("UnexpectedAdmissionError");
    sim.cluster.returnGpu(NODE, 0);
    assertThat(sim.node(NODE).allocatable().gpuMilli()).isEqualTo(8_000);
  }

  @Test
  void cordonedNodeRetainsItsPodsAndAcceptsNoNewOnes() {
    LaunchOrder before = sim.launch(job());
    sim.advanceSeconds(1);
    sim.cluster.cordon(NODE, true);
    assertThat(refusal(Specs.job("new"))).isEqualTo("AdmissionRefused");
    assertThat(sim.member(before, 0).state()).isEqualTo(MemberState.RUNNING);
    assertThat(sim.node(NODE).cordoned()).isTrue();
  }

  @Test
  void missingNodeIsRejectedWithoutCreatingAnything() {
    LaunchOrder elsewhere = new VirtualCluster(new FleetPool(2, 0, "", 1, 1)).order(Specs.job("x"));
    assertThat(sim.apply(elsewhere)).isInstanceOf(ActionOutcome.Refused.class);
    assertThat(sim.seen(elsewhere).empty()).isTrue();
  }

  private String refusal(Specs spec) {
    LaunchOrder order = sim.launch(spec);
    sim.advance(Duration.ofMillis(500));
    ObservedMember member = sim.member(order, 0);
    assertThat(member.state()).isEqualTo(MemberState.FAILED);
    assertThat(member.started()).isFalse();
    return member.reason();
  }
}
