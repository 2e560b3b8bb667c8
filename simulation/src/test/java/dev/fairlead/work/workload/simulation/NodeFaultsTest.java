package dev.fairlead.work.workload.simulation;

import static dev.fairlead.work.workload.simulation.VirtualCluster.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.operation.DrainScope;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.workload.LaunchOrder;
import dev.fairlead.work.workload.judgement.AttemptJudge;
import dev.fairlead.work.workload.judgement.Observations;
import dev.fairlead.work.workload.judgement.ObservedMember;
import dev.fairlead.work.workload.judgement.OpenFaults;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class NodeFaultsTest {
  private static final String FIRST = "sim-gpu-0000";

  private final VirtualCluster sim = VirtualCluster.ofNodes(2);

  @Test
  void podOnASilentNodeLooksUnchangedAndItsResultArrivesWithTheNode() {
    LaunchOrder order = sim.launch(job().annotation("sim.fairlead.dev/run-for", "10s"));
    sim.advanceSeconds(5);
    sim.cluster.loseNode(FIRST);
    sim.advanceSeconds(60);
    assertThat(sim.member(order, 0).state()).isEqualTo(MemberState.RUNNING);
    assertThat(sim.cluster.processes()).isEmpty();
    sim.cluster.returnNode(FIRST);
    ObservedMember back = sim.member(order, 0);
    assertThat(back.state()).isEqualTo(MemberState.SUCCEEDED);
    assertThat(back.endedAt()).isEqualTo(back.startedAt().plusSeconds(10));
  }

  @Test
  void podStoppedOnASilentNodeRunsUntilTheNodeHearsOfIt() {
    LaunchOrder order = sim.launch(job().annotation("sim.fairlead.dev/outcome", "hang"));
    sim.advanceSeconds(1);
    sim.cluster.loseNode(FIRST);
    sim.stop(order, Duration.ofSeconds(2));
    sim.advanceSeconds(60);
    assertThat(sim.member(order, 0).state()).isEqualTo(MemberState.RUNNING);
    assertThat(sim.member(order, 0).deleting()).isTrue();
    assertThat(sim.cluster.processes()).hasSize(1);
    sim.cluster.returnNode(FIRST);
    assertThat(sim.member(order, 0).exitCode()).isEqualTo(143);
  }

  @Test
  void podRetiredOnASilentNodeStaysUntilItsEndIsConfirmed() {
    LaunchOrder order = sim.launch(job());
    sim.advanceSeconds(1);
    sim.cluster.loseNode(FIRST);
    sim.retire(order);
    assertThat(sim.seen(order).members()).hasSize(1);
    sim.cluster.returnNode(FIRST);
    assertThat(sim.seen(order).empty()).isTrue();
    assertThat(sim.cluster.processes()).isEmpty();
  }

  @Test
  void podSentToASilentNodeStartsWhenTheNodeReturns() {
    sim.cluster.loseNode(FIRST);
    LaunchOrder order = sim.launchOn(FIRST, job());
    sim.advanceSeconds(60);
    assertThat(sim.member(order, 0).state()).isEqualTo(MemberState.PENDING);
    sim.cluster.returnNode(FIRST);
    sim.advanceSeconds(1);
    assertThat(sim.member(order, 0).startedAt()).isAfter(sim.now().minusSeconds(1));
  }

  @Test
  void rebootProvesThatEverythingOnTheNodeDied() {
    LaunchOrder order = sim.launch(job().workers(2));
    sim.advanceSeconds(1);
    Attempt attempt = judged(order.attempt(), order);
    String boot = sim.node(FIRST).bootId();
    sim.cluster.rebootNode(FIRST);
    assertThat(sim.node(FIRST).bootId()).isNotEqualTo(boot);
    assertThat(sim.member(order, 0).exitCode()).isNull();
    Member lost = judged(attempt, order).members().getFirst();
    assertThat(lost.state()).isEqualTo(MemberState.GONE);
    assertThat(lost.evidence()).isEqualTo(DeathEvidence.NODE_REBOOTED);
    assertThat(sim.cluster.processes()).hasSize(1);
  }

  @Test
  void attemptOnANodeRebootedByAnnotationFailsForItsNode() {
    LaunchOrder order =
        sim.launch(
            job()
                .workers(2)
                .annotation("sim.fairlead.dev/outcome", "node-reboot")
                .annotation("sim.fairlead.dev/after", "3s")
                .annotation("sim.fairlead.dev/members", "worker-1"));
    sim.advanceSeconds(1);
    Attempt attempt = judged(order.attempt(), order);
    sim.advance(Duration.ofMillis(2_200));
    attempt = judged(attempt, order);
    sim.stop(order, Duration.ofSeconds(30));
    sim.advanceSeconds(10);
    attempt = judged(attempt, order);
    assertThat(attempt.live()).isFalse();
    assertThat(attempt.failure().cause()).isEqualTo(FailureCause.NODE_FAILURE);
    assertThat(attempt.failure().member()).isEqualTo("worker-1");
  }

  @Test
  void podUnseenBeforeTheRebootIsReportedSecondsLater() {
    LaunchOrder order = sim.launchOn(FIRST, job());
    sim.advanceSeconds(1);
    sim.cluster.rebootNode(FIRST);
    sim.advanceSeconds(5);
    // The old boot id was not recorded, so the new one proves nothing: the node must report the
    // end.
    Attempt attempt = judged(order.attempt(), order);
    assertThat(attempt.live()).isFalse();
    assertThat(attempt.failure().cause()).isEqualTo(FailureCause.NODE_FAILURE);
  }

  @Test
  void crashedNodeInventsAResultOnItsReturnAndItIsANodeFault() {
    LaunchOrder order = sim.launch(job().workers(2));
    sim.advanceSeconds(1);
    Attempt attempt = judged(order.attempt(), order);
    String boot = sim.node(FIRST).bootId();
    sim.cluster.crashNode(FIRST);
    sim.advanceSeconds(30);
    attempt = judged(attempt, order);
    assertThat(attempt.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(sim.cluster.processes()).hasSize(1);
    sim.cluster.returnNode(FIRST);
    attempt = judged(attempt, order);
    assertThat(sim.node(FIRST).bootId()).isEqualTo(boot);
    assertThat(sim.member(order, 0).exitCode()).isEqualTo(137);
    assertThat(sim.member(order, 0).endedAt()).isNull();
    assertThat(attempt.failure().cause()).isEqualTo(FailureCause.NODE_FAILURE);
    assertThat(attempt.failure().member()).isEqualTo("worker-0");
  }

  @Test
  void podNotStartedBeforeTheCrashStartsWhenTheNodeReturns() {
    LaunchOrder order =
        sim.launchOn(FIRST, job().annotation("sim.fairlead.dev/start-after", "10s"));
    sim.advanceSeconds(1);
    sim.cluster.crashNode(FIRST);
    sim.advanceSeconds(60);
    sim.cluster.returnNode(FIRST);
    sim.advanceSeconds(1);
    assertThat(sim.member(order, 0).state()).isEqualTo(MemberState.RUNNING);
  }

  @Test
  void lateReportOfAnEndHasTheActualTime() {
    sim.cluster.reportLate(Duration.ofSeconds(2));
    LaunchOrder order = sim.launch(job().workers(4).annotation("sim.fairlead.dev/run-for", "10s"));
    sim.advance(Duration.ofMillis(10_100));
    assertThat(sim.cluster.processes()).isEmpty();
    assertThat(sim.seen(order).members().values())
        .anyMatch(member -> member.state() == MemberState.RUNNING);
    sim.advanceSeconds(2);
    assertThat(sim.seen(order).members().values())
        .allMatch(member -> member.endedAt().equals(member.startedAt().plusSeconds(10)));
  }

  @Test
  void podCreatedBeforeTheCleanupOfAnEndedOneIsRejected() {
    sim.cluster.reportLate(Duration.ofMillis(1));
    LaunchOrder ended =
        sim.launchOn(FIRST, job().gpus(8).annotation("sim.fairlead.dev/run-for", "10s"));
    sim.advance(Duration.ofMillis(10_500));
    assertThat(sim.member(ended, 0).lingers()).isTrue();
    assertThat(sim.member(ended, 0).state()).isEqualTo(MemberState.SUCCEEDED);
    LaunchOrder hasty = sim.launchOn(FIRST, job().gpus(8));
    sim.advanceSeconds(1);
    assertThat(sim.member(hasty, 0).reason()).startsWith("OutOf");
    assertThat(sim.member(ended, 0).lingers()).isFalse();
    LaunchOrder patient = sim.launchOn(FIRST, job().gpus(8));
    sim.advanceSeconds(1);
    assertThat(sim.member(patient, 0).state()).isEqualTo(MemberState.RUNNING);
  }

  @Test
  void unreportedEndIsLostInACrash() {
    sim.cluster.reportLate(Duration.ofHours(1));
    LaunchOrder order = sim.launchOn(FIRST, job().annotation("sim.fairlead.dev/run-for", "10s"));
    sim.advanceSeconds(11);
    sim.stop(order, Duration.ofSeconds(2));
    sim.cluster.crashNode(FIRST);
    sim.cluster.returnNode(FIRST);
    assertThat(sim.member(order, 0).reason()).isEqualTo("ContainerStatusUnknown");
  }

  @Test
  void deletedMachineStaysInTheReportAndReturnsWithAnotherBoot() {
    LaunchOrder order = sim.launchOn(FIRST, job());
    sim.advanceSeconds(1);
    String boot = sim.node(FIRST).bootId();
    sim.cluster.removeNode(FIRST);
    assertThat(sim.node(FIRST).machineGone()).isTrue();
    assertThat(sim.node(FIRST).ready()).isFalse();
    assertThat(sim.cluster.processes()).isEmpty();
    sim.retire(order);
    assertThat(sim.seen(order).empty()).isTrue();
    sim.cluster.returnNode(FIRST);
    assertThat(sim.node(FIRST).ready()).isTrue();
    assertThat(sim.node(FIRST).bootId()).isNotEqualTo(boot);
  }

  @Test
  void podsThatDiedWithTheirNodeFreeTheNode() {
    sim.launchOn(FIRST, job().gpus(8));
    sim.advanceSeconds(1);
    sim.cluster.rebootNode(FIRST);
    LaunchOrder next = sim.launchOn(FIRST, job().gpus(8));
    sim.advanceSeconds(1);
    assertThat(sim.member(next, 0).state()).isEqualTo(MemberState.RUNNING);
  }

  @Test
  void faultOfAMissingNodeIsACallerError() {
    assertThatThrownBy(() -> sim.cluster.loseNode("nowhere"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nowhere");
  }

  private Attempt judged(Attempt attempt, LaunchOrder order) {
    SortedMap<String, NodeReport> nodes = new TreeMap<>();
    sim.nodes().forEach(n -> nodes.put(n.name(), n));
    return AttemptJudge.judge(
            attempt,
            order.job(),
            new Observations(
                sim.seen(order),
                nodes,
                nodes,
                false,
                new TreeMap<>(),
                new TreeSet<>(),
                JobState.STARTING,
                0,
                DrainScope.NOTHING,
                OpenFaults.NOTHING,
                false,
                false,
                false,
                WorkloadTimeouts.DEFAULT,
                sim.now(),
                sim.now()))
        .attempt();
  }
}
