package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.GangRepair;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.judgement.Verdict;
import dev.fairlead.work.workload.judgement.WorkloadReconciler;
import dev.fairlead.work.workload.judgement.WorkloadReconciler.Step;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A member of a gang of fixed size that a fault takes, and its replacement. */
class GangRepairTest {
  private static final Duration SETTLE = WorkloadTimeouts.DEFAULT.settle();
  private static final Duration GRACE = Duration.ofSeconds(30);

  private static Watched repaired(int max) {
    return Watched.running(Specs.job("train").workers(4).repaired(max));
  }

  private static Step step(Watched watched) {
    return WorkloadReconciler.reconcile(watched.attempt(), watched.observed()).orElse(null);
  }

  private static Watched dies(Watched gang, int index) {
    gang.node(index, NodeReports.node("n" + index).outOfService()).judge();
    gang.after(SETTLE).judge();
    return gang;
  }

  private static Watched replaced(Watched gang, int lost, int by) {
    dies(gang, lost).comes(by).runs(by).judge();
    return gang;
  }

  private static List<String> core(Watched gang) {
    return gang.attempt().core().stream().map(Member::key).toList();
  }

  /** Fails when the pod of the new member is created while the old one may live. */
  @Test
  void replacementJoinsOnceTheFaultyMemberIsDeadAndTheOthersKeepRunning() {
    Watched gang = repaired(1).holdsGpu(1).sick(1, FaultScope.NODE, null);

    Verdict told = gang.judge();
    assertThat(told.facts())
        .anyMatch(fact ->
            ("XID 79 (GPU has fallen off the bus) on GPU 1653922, node n1; the other members"
                    + " wait for a replacement")
                .equals(fact.data().get("message")));
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(step(gang)).isEqualTo(Step.SHRINK);

    gang.comes(4).deleting(1).judge();
    assertThat(step(gang)).as("the faulty one may live").isNull();

    assertThat(gang.exits(1, 137, "Error").judge().fewer()).isTrue();
    assertThat(step(gang)).isEqualTo(Step.GROW);
    gang.runs(4).judge();
    assertThat(core(gang)).containsExactly("worker-0", "worker-2", "worker-3", "worker-4");
    assertThat(gang.after(Duration.ofHours(1)).judge().changed()).isFalse();

    gang.succeeds(0).succeeds(2).succeeds(3).succeeds(4).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  /** Fails when a gang waits forever, or uses a retry for the fault. */
  @Test
  void faultEndsTheGangWithoutANodeForAReplacement() {
    Watched gang = repaired(1).holdsGpu(1).sick(1, FaultScope.NODE, null);
    gang.judge();
    assertThat(gang.judge().lookAgainAt()).isEqualTo(until(Duration.ZERO, GRACE));
    gang.deleting(1).after(Duration.ofSeconds(20)).exits(1, 137, "Error");

    assertThat(gang.judge().lookAgainAt()).isEqualTo(until(Duration.ofSeconds(20), Duration.ZERO));
    gang.after(GangRepair.PATIENCE.minusSeconds(1)).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    gang.after(Duration.ofSeconds(1)).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    Attempt.StopOrder order = gang.attempt().stop();
    assertThat(order.cause()).isEqualTo(StopCause.ISOLATION);
    assertThat(gang.attempt().failure().explained()).isTrue();
  }

  private static Instant until(Duration since, Duration grace) {
    return Watched.START.plus(since).plus(GangRepair.PATIENCE).plus(grace);
  }

  /** Fails when a gang waits forever for a replacement that does not start. */
  @Test
  void failedReplacementLeavesAndTheGangWaitsForANodeAgain() {
    Watched gang = dies(repaired(1), 1).comes(4);
    gang.refused(4, "OutOfcpu").judge();
    assertThat(gang.attempt().left()).extracting(Member::key).contains("worker-4");
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(GangRepair.allowed(gang.job().spec(), gang.attempt(), Watched.START)).isFalse();

    gang.after(GangRepair.PATIENCE).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(gang.attempt().failure().cause()).isEqualTo(FailureCause.NODE_FAILURE);
    assertThat(gang.attempt().stop().cause()).isEqualTo(StopCause.MEMBER_FAILED);
  }

  /** Fails when the time to start counts while the faulty member may live, or has no end. */
  @Test
  void replacementStartTimeBeginsWithTheDeathOfTheReplacedMember() {
    Watched gang = repaired(1).holdsGpu(1).sick(1, FaultScope.NODE, null);
    gang.judge();
    gang.comes(4).deleting(1).after(Duration.ofMinutes(4)).exits(1, 137, "Error").judge();

    gang.after(Duration.ofMinutes(4)).judge();
    assertThat(gang.member("worker-4").joins()).isTrue();
    gang.after(Duration.ofMinutes(1)).judge();
    assertThat(gang.member("worker-4").leaves()).isTrue();
  }

  /**
   * Fails when a reserved node is released, and counts, that could not be used before a program
   * ended.
   */
  @Test
  void replacementWaitsAsLongAsTheFaultyMemberMayTakeToEnd() {
    Specs spec = Specs.job("train").workers(4).repaired(1).gracePeriod(Duration.ofMinutes(20));
    Watched gang = Watched.running(spec).holdsGpu(1).sick(1, FaultScope.NODE, null);
    gang.judge();
    gang.comes(4).deleting(1).after(Duration.ofMinutes(20)).judge();
    assertThat(gang.member("worker-4").joins()).isTrue();

    Verdict last = gang.judge();
    assertThat(last.lookAgainAt()).isEqualTo(Watched.START.plus(Duration.ofMinutes(25)));
    gang.after(Duration.ofMinutes(5)).judge();
    assertThat(gang.member("worker-4").leaves()).as("it does not wait for ever").isTrue();
  }

  /** Fails when a replacement is spent although none of its objects could be created. */
  @Test
  void replacementWaitsWhileTheNodeOfTheFaultyMemberIsSilent() {
    Watched gang = repaired(1).holdsGpu(1).sick(1, FaultScope.NODE, null);
    gang.judge();
    gang.comes(4).node(1, NodeReports.node("n1").notReady()).judge();
    gang.after(Duration.ofHours(1)).judge();
    assertThat(gang.member("worker-4").joins()).isTrue();

    gang.node(1, NodeReports.node("n1").outOfService()).judge();
    assertThat(step(gang)).isEqualTo(Step.GROW);
    gang.runs(4).judge();
    assertThat(core(gang)).containsExactly("worker-0", "worker-2", "worker-3", "worker-4");
  }

  /**
   * Fails when only machines that were never silent are replaced, although every dead machine
   * becomes silent.
   */
  @Test
  void machineThatFellSilentBeforeItDiedIsReplaced() {
    Watched gang = repaired(1).node(1, NodeReports.node("n1").notReady());
    gang.judge();
    gang.after(Duration.ofMinutes(10)).node(1, NodeReports.node("n1").bootId("boot-2")).judge();
    gang.after(SETTLE).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(gang.attempt().left()).extracting(Member::key).containsExactly("worker-1");
    gang.comes(4).runs(4).judge();
    assertThat(gang.attempt().core()).hasSize(4);
  }

  /** Fails when a fault counts for a finished member and stops the others. */
  @Test
  void faultOnANodeOfAFinishedMemberRemovesNothing() {
    Watched gang = repaired(1).holdsGpu(1).succeeds(1);
    gang.judge();

    Verdict later = gang.sick(1, FaultScope.NODE, null).judge();

    assertThat(later.facts()).isEmpty();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(gang.attempt().core()).hasSize(4);
    gang.succeeds(0).succeeds(2).succeeds(3).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  private static Watched oneOfTwoSilentIsDead() {
    Watched gang = repaired(1).node(1, NodeReports.node("n1").notReady());
    gang.node(2, NodeReports.node("n2").notReady()).judge();
    gang.after(Duration.ofMinutes(10)).node(1, NodeReports.node("n1").outOfService()).judge();
    Verdict later = gang.after(Duration.ofMinutes(10)).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(later.lookAgainAt()).as("nothing changes by time").isNull();
    return gang;
  }

  /** Fails when the time for a repair ends before a second silent node has returned. */
  @Test
  void gangWithTwoSilentNodesStartsItsTimerAtTheReturnOfTheOther() {
    Watched gang = oneOfTwoSilentIsDead();

    gang.after(Duration.ofMinutes(30)).node(2, NodeReports.node("n2")).judge();
    Verdict back = gang.judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(gang.attempt().left()).extracting(Member::key).containsExactly("worker-1");
    assertThat(back.lookAgainAt())
        .isEqualTo(Watched.START.plus(Duration.ofMinutes(50)).plus(GangRepair.PATIENCE));
    gang.comes(4).runs(4).judge();
    assertThat(gang.attempt().core()).hasSize(4);
  }

  /** Fails when a gang that lost two machines waits forever. */
  @Test
  void gangOfTwoSilentNodesEndsWhenBothAreDead() {
    Watched gang = oneOfTwoSilentIsDead();

    gang.node(2, NodeReports.node("n2").outOfService()).judge();
    gang.after(SETTLE).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(gang.attempt().failure().cause()).isEqualTo(FailureCause.NODE_FAILURE);
  }

  /** Fails when a drain waits beyond its deadline for a node that may never return. */
  @Test
  void drainMovesAGangWithTwoUnreachableNodes() {
    Watched gang = oneOfTwoSilentIsDead();

    gang.drained(3).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(gang.attempt().stop().cause()).isEqualTo(StopCause.DRAIN);
  }

  /** Fails when others wait for the checkpoint of a gang that does not progress. */
  @Test
  void gangWithoutAMemberRequestsNoCheckpoint() {
    Specs spec =
        Specs.job("train").workers(4).repaired(1).checkpointTimeout(Duration.ofMinutes(30));
    Watched gang = dies(Watched.running(spec), 1).comes(4).ordered(StopCause.PREEMPTION).asks();

    gang.judge();

    assertThat(gang.attempt().awaitedCheckpoint()).isNull();
    assertThat(step(gang)).isEqualTo(Step.STOP);
  }

  /**
   * Fails when the others are stopped although no new start is possible before the death is proven.
   */
  @Test
  void gangWaitsForProofOfALostMembersDeath() {
    Watched gang = repaired(1).holdsGpu(1).sick(1, FaultScope.NODE, null);
    gang.node(1, NodeReports.node("n1").notReady()).judge();

    Verdict later = gang.after(Duration.ofHours(1)).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(later.lookAgainAt()).as("nothing changes by time").isNull();

    gang.node(1, NodeReports.node("n1").outOfService()).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(gang.attempt().left()).extracting(Member::key).containsExactly("worker-1");
    gang.comes(4).runs(4).judge();
    assertThat(gang.attempt().core()).hasSize(4);
  }

  /** Fails when the unfinished work of a lost member counts as done. */
  @Test
  void successOfTheRemainingMembersAloneIsNotSuccess() {
    Watched gang = dies(repaired(1), 1).succeeds(0).succeeds(2).succeeds(3);

    gang.judge();

    assertThat(gang.state()).isEqualTo(AttemptState.FAILED);
    assertThat(gang.attempt().failure().cause()).isEqualTo(FailureCause.NODE_FAILURE);
  }

  @Test
  void cancelEndsTheRepairAtAnyStep() {
    Watched gang = dies(repaired(1), 1).comes(4).wanted(JobState.CANCELLING);
    gang.judge();
    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(step(gang)).isEqualTo(Step.STOP);

    gang.absent(4).exits(0, 143, null).exits(2, 143, null).exits(3, 143, null).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.CANCELLED);
  }

  /** Fails when the host of the rendezvous is replaced, which ends the other members. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void faultOfTheHostOrOfTwoMembersEndsTheGang(int first) {
    Watched gang = repaired(3);
    gang.node(first, NodeReports.node("n" + first).outOfService());
    if (first == 1) {
      gang.node(2, NodeReports.node("n2").outOfService());
    }
    gang.judge();
    gang.after(SETTLE).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
  }

  @Test
  void secondFaultDuringARepairEndsAll() {
    Watched gang = dies(repaired(3), 1).comes(4);

    dies(gang, 2);

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
  }

  /** Fails when a job that breaks its machines continues forever. */
  @Test
  void replacementsAreCappedByTheJob() {
    Watched gang = replaced(replaced(repaired(2), 1, 4), 4, 5);
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(core(gang)).containsExactly("worker-0", "worker-2", "worker-3", "worker-5");

    assertThat(dies(gang, 5).state()).isEqualTo(AttemptState.STOPPING);
  }

  @Test
  void jobWithoutGangRepairEndsOnAFault() {
    Watched gang = dies(Watched.running(Specs.job("train").workers(4).torchrun()), 1);

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
  }

  /** Fails when a program error counts as a fault of the machine that also died. */
  @Test
  void memberThatFailedByItselfEndsAll() {
    Watched gang = repaired(1).holdsGpu(1).sick(1, FaultScope.NODE, null).exits(2, 1, "Error");

    gang.judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
  }
}
