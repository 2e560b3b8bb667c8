package dev.fairlead.work.workload.judgement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.workload.Watched;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The closed set of evidence, and observations that are none. */
class MemberJudgeTest {
  @Test
  void memberStateMatchesItsPod() {
    Watched one = Watched.running(1);

    Member member = one.member("worker-0");

    assertThat(member.state()).isEqualTo(MemberState.RUNNING);
    assertThat(member.uid()).isEqualTo("uid-0");
    assertThat(member.bootId()).isEqualTo("boot-1");
    assertThat(member.startedAt()).isEqualTo(Watched.START);
    assertThat(member.dead()).isFalse();
  }

  @Test
  void recordedExitCodeIsEvidence() {
    Watched one = Watched.running(1).exits(0, 7, "Error");
    one.judge();

    Member member = one.member("worker-0");
    assertThat(member.evidence()).isEqualTo(DeathEvidence.CONTAINER_TERMINATED);
    assertThat(member.exitCode()).isEqualTo(7);
    assertThat(member.endedAt()).isEqualTo(Watched.START);
  }

  /** Fails when an observed start is dropped: the refusal would then prove "never started". */
  @Test
  void startedPodRefusedByItsReturnedKubeletIsNotProvenDead() {
    Watched one = Watched.running(1).pulling(0);
    one.judge();
    one.refused(0, "UnexpectedAdmissionError").judge();

    assertThat(one.member("worker-0").dead()).isFalse();

    one.node(0, NodeReports.node("n0").bootId("boot-2")).judge();
    assertThat(one.member("worker-0").evidence()).isEqualTo(DeathEvidence.NODE_REBOOTED);
  }

  private static Watched refusedAfterItRan(OnUnreachable wish) {
    Watched one = Watched.running(Specs.job("train").onUnreachable(wish)).pulling(0);
    one.judge();
    one.refused(0, "UnexpectedAdmissionError").judge();
    return one;
  }

  /**
   * Fails when such a job stays RUNNING: no report would explain it, and no operator could end it.
   */
  @Test
  void attemptWithARefusedStartedPodIsUnreachable() {
    Watched one = refusedAfterItRan(OnUnreachable.WAIT);
    assertThat(one.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(OperatorConfirmation.heard(one.attempt(), Watched.START)).isTrue();

    one.judge();
    assertThat(one.state()).as("nothing is proven").isEqualTo(AttemptState.UNKNOWN);

    one.exits(0, 137, "ContainerStatusUnknown").judge();
    assertThat(one.member("worker-0").evidence()).isEqualTo(DeathEvidence.CONTAINER_TERMINATED);
  }

  /** Fails when the owner's permission does not count for it. */
  @Test
  void overlapAllowsARestartAfterAStartedPodWasRefused() {
    Watched one = refusedAfterItRan(OnUnreachable.ALLOW_OVERLAP);
    assertThat(one.member("worker-0").dead()).as("not at the first look").isFalse();

    one.judge();
    assertThat(one.member("worker-0").evidence()).isEqualTo(DeathEvidence.OVERLAP_ALLOWED);
    assertThat(one.state()).isEqualTo(AttemptState.LOST);
  }

  @Test
  void aRebootedNodeIsEvidenceEvenWhenThePodIsStillShown() {
    Watched one = Watched.running(1).node(0, NodeReports.node("n0").bootId("boot-2"));
    one.judge();

    assertThat(one.member("worker-0").evidence()).isEqualTo(DeathEvidence.NODE_REBOOTED);
    assertThat(one.member("worker-0").state()).isEqualTo(MemberState.GONE);
    assertThat(one.state()).isEqualTo(AttemptState.LOST);
  }

  /**
   * Seed 37834 of the simulation: a supervisor that took over saw a node as before its last boot.
   * Fails when a watched node counts as evidence.
   */
  @Test
  void bootSeenOnlyByALateWatchProvesNothing() {
    Watched one =
        Watched.running(1)
            .node(0, NodeReports.node("n0").bootId("boot-0"))
            .inTruth(0, NodeReports.node("n0"));
    one.judge();
    assertThat(one.member("worker-0").dead()).isFalse();

    one.inTruth(0, null).judge();
    assertThat(one.member("worker-0").dead()).as("nobody answered").isFalse();
  }

  /**
   * Seed 36804 of the simulation: an old boot was recorded for a pod of the new one. Fails when the
   * boot is recorded from the watch.
   */
  @Test
  void recordedBootIsTheOneReportedAfterTheStart() {
    Watched one =
        Watched.launching(1)
            .node(0, NodeReports.node("n0").bootId("boot-0"))
            .inTruth(0, NodeReports.node("n0"))
            .runs(0);
    one.judge();
    assertThat(one.member("worker-0").bootId()).isEqualTo("boot-1");

    one.node(0, NodeReports.node("n0")).judge();
    assertThat(one.member("worker-0").dead()).isFalse();
  }

  /** Fails when the boot of a node is recorded for a pod that has not started on it. */
  @Test
  void podStartedAfterARebootDidNotDieInIt() {
    Watched one = Watched.launching(1).pulling(0);
    one.judge();
    one.node(0, NodeReports.node("n0").bootId("boot-2")).vanishes(0).judge();

    assertThat(one.member("worker-0").dead()).isFalse();
  }

  @Test
  void taintSeenOnlyByALateWatchProvesNothing() {
    Watched one =
        Watched.running(1)
            .node(0, NodeReports.node("n0").outOfService())
            .inTruth(0, NodeReports.node("n0"));
    one.judge();
    assertThat(one.member("worker-0").dead()).isFalse();

    one.node(0, NodeReports.node("n0").machineGone()).judge();
    assertThat(one.member("worker-0").dead()).isFalse();
  }

  @Test
  void lateBootReportIsNotAReboot() {
    // Fails when an empty boot id is recorded: the first real one would count as a reboot and free
    // a living member.
    Watched one = Watched.launching(1).node(0, NodeReports.node("n0").bootId("")).runs(0);
    one.judge();
    assertThat(one.member("worker-0").bootId()).isNull();

    one.node(0, NodeReports.node("n0").bootId("boot-1")).judge();

    assertThat(one.member("worker-0").dead()).isFalse();
    assertThat(one.member("worker-0").bootId()).isEqualTo("boot-1");
  }

  @Test
  void missingBootReportProvesNothing() {
    Watched one = Watched.running(1).node(0, NodeReports.node("n0").bootId(""));
    one.judge();

    assertThat(one.member("worker-0").dead()).isFalse();
  }

  /**
   * Seed 500496 of the simulation: the job ran a second time. Fails when the evidence of a node
   * precedes the result of a successful pod.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void memberThatSucceededBeforeItsNodeWasLostHasSucceeded(boolean machineGone) {
    NodeReports node = NodeReports.node("n0").notReady();
    Watched one =
        Watched.running(1)
            .succeeds(0)
            .node(0, machineGone ? node.machineGone() : node.outOfService());
    one.judge();

    assertThat(one.member("worker-0").evidence()).isEqualTo(DeathEvidence.CONTAINER_TERMINATED);
    assertThat(one.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  /**
   * Fails when a pod that its kubelet has not cleaned up yet counts as running when its node is
   * lost.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void successfulMemberAwaitingItsCleanupHasSucceeded(boolean rebooted) {
    NodeReports node = NodeReports.node("n0");
    Watched one =
        Watched.running(1)
            .lingers(0, 0)
            .node(0, rebooted ? node.bootId("boot-2") : node.outOfService());
    one.judge();

    assertThat(one.member("worker-0").evidence()).isEqualTo(DeathEvidence.CONTAINER_TERMINATED);
    assertThat(one.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  @Test
  void theOutOfServiceTaintIsEvidence() {
    Watched one = Watched.running(1).node(0, NodeReports.node("n0").notReady().outOfService());
    one.judge();

    assertThat(one.member("worker-0").evidence()).isEqualTo(DeathEvidence.NODE_OUT_OF_SERVICE);
  }

  @Test
  void aConfirmedLossOfTheMachineIsEvidence() {
    Watched one = Watched.running(1).node(0, NodeReports.node("n0").machineGone());
    one.judge();

    assertThat(one.member("worker-0").evidence()).isEqualTo(DeathEvidence.MACHINE_GONE);
  }

  @Test
  void nodeSilenceOfAnyLengthIsNotEvidence() {
    Watched one =
        Watched.running(1).node(0, NodeReports.node("n0").notReady()).after(Duration.ofDays(7));
    one.judge();

    assertThat(one.member("worker-0").dead()).isFalse();
  }

  @Test
  void deadMemberIsFinal() {
    Watched gang = Watched.running(2).exits(0, 7, "Error");
    gang.judge();

    gang.runs(0).judge();

    assertThat(gang.member("worker-0").state()).isEqualTo(MemberState.FAILED);
    assertThat(gang.member("worker-0").exitCode()).isEqualTo(7);
  }

  @Test
  void podDeletedByOthersWasEvicted() {
    Watched killed = Watched.running(1).exits(0, 143, "Error").deleting(0);
    killed.judge();

    assertThat(killed.member("worker-0").reason()).isEqualTo("Deleted");
    assertThat(killed.state()).isEqualTo(AttemptState.EVICTED);
    assertThat(killed.attempt().failure().cause()).isEqualTo(FailureCause.EVICTED);
  }

  @Test
  void podThatFailedDuringAForeignDeletionFailedByItself() {
    Watched failed = Watched.running(1).exits(0, 3, "Error").deleting(0);
    failed.judge();

    assertThat(failed.attempt().failure().cause()).isEqualTo(FailureCause.USER_ERROR);
  }

  @ParameterizedTest
  @CsvSource({"OOMKilled, OUT_OF_MEMORY", "ContainerStatusUnknown, NODE_FAILURE"})
  void podThatEndedBeforeAForeignDeletionRetainsItsReason(String reason, FailureCause cause) {
    // A kubelet that was down reports both together: the end, and the later deletion.
    Watched ended = Watched.running(1).exits(0, 137, reason).deleting(0);
    ended.judge();

    assertThat(ended.attempt().failure().cause()).isEqualTo(cause);
  }

  @Test
  void podDeletedByFairleadIsNotAnEviction() {
    Watched one = Watched.running(1).wanted(JobState.CANCELLING);
    one.judge();
    one.exits(0, 143, "Error").deleting(0).judge();

    assertThat(one.member("worker-0").reason()).isEqualTo("Error");
    assertThat(one.state()).isEqualTo(AttemptState.CANCELLED);
  }
}
