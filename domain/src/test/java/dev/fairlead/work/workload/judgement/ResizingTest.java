package dev.fairlead.work.workload.judgement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.GangRepair;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.Watched;
import dev.fairlead.work.workload.judgement.WorkloadReconciler.Step;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that join a running attempt, and leave it. */
class ResizingTest {
  private static Watched elastic() {
    return Watched.running(Specs.job("train").workers(3).minWorkers(1));
  }

  private static Step step(Watched watched) {
    return WorkloadReconciler.reconcile(watched.attempt(), watched.observed()).orElse(null);
  }

  @Test
  void joiningMemberIsCreatedAndBelongsToTheAttemptOnceItRuns() {
    Watched gang = elastic().joins(2);
    gang.judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(step(gang)).isEqualTo(Step.GROW);

    gang.pulling(2).judge();
    assertThat(step(gang)).isNull();
    assertThat(gang.attempt().core()).hasSize(2);
    gang.runs(2).judge();

    assertThat(gang.attempt().core()).hasSize(3);
    gang.succeeds(0).succeeds(1).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
  }

  /** Fails when the end of a joining member is judged like the end of any other member. */
  @Test
  void joiningMemberThatFailsLeavesAndTheAttemptContinues() {
    Watched gang = elastic().joins(2).refused(2, "OutOfcpu");

    Verdict verdict = gang.judge();

    assertThat(verdict.fewer()).isTrue();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(gang.attempt().members()).hasSize(2);
    assertThat(gang.attempt().left()).extracting(Member::key).containsExactly("worker-2");
    gang.after(Duration.ofMinutes(1)).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
  }

  @Test
  void joiningMemberThatMissesItsStartDeadlineIsToldToLeave() {
    Watched gang = elastic().joins(2);
    assertThat(gang.judge().lookAgainAt())
        .isEqualTo(Watched.START.plus(WorkloadTimeouts.DEFAULT.gangStart()));

    gang.after(WorkloadTimeouts.DEFAULT.gangStart()).judge();
    assertThat(gang.member("worker-2").leaves()).isTrue();
    assertThat(step(gang)).isEqualTo(Step.SHRINK);
    gang.absent(2).judge();

    assertThat(gang.attempt().left()).hasSize(1);
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
  }

  /** Fails when the end of a member that leaves is a failure. */
  @Test
  void anyExitCodeOfALeavingMemberIsNotAFailure() {
    Watched gang = elastic().leaves(2);
    gang.judge();
    assertThat(step(gang)).isEqualTo(Step.SHRINK);
    gang.deleting(2).judge();
    assertThat(step(gang)).isNull();
    assertThat(gang.attempt().members()).hasSize(3);

    gang.exits(2, 137, "Error").after(Duration.ofSeconds(10)).judge();

    assertThat(gang.attempt().members()).hasSize(2);
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    gang.succeeds(0).succeeds(1).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  /** Fails when silence counts as the end of a leaving member. */
  @Test
  void leavingMemberHoldsItsResourcesWhileItsNodeIsSilent() {
    Watched gang = elastic().leaves(2).silent(true).after(Duration.ofHours(1));

    assertThat(gang.judge().fewer()).isFalse();

    assertThat(gang.attempt().members()).hasSize(3);
    assertThat(gang.state()).isEqualTo(AttemptState.UNKNOWN);
  }

  @Test
  void joiningMemberLeavesWhenAllOthersAreDone() {
    Watched gang = elastic().joins(2).pulling(2).succeeds(0).succeeds(1);
    gang.judge();
    assertThat(gang.member("worker-2").leaves()).isTrue();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);

    gang.exits(2, 143, "Error").judge();

    assertThat(gang.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  @Test
  void failureOfAnotherMemberEndsAll() {
    Watched gang = elastic().joins(2).exits(0, 1, "Error").after(Duration.ofSeconds(10));

    gang.judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(step(gang)).isEqualTo(Step.STOP);
  }

  /** Its launcher lets members rendezvous again, and two of them are enough. */
  private static Watched meetsAgain() {
    return Watched.running(Specs.job("train").workers(4).minWorkers(2).torchrun());
  }

  private static List<String> messages(Verdict verdict) {
    return verdict.facts().stream()
        .filter(fact -> fact.type().equals("MemberLeaving"))
        .map(fact -> String.valueOf(fact.data().get("message")))
        .toList();
  }

  /** Fails when a fault of one member ends members that can continue without it. */
  @Test
  void holderOfAnUnhealthyDeviceLeavesAndTheOthersKeepRunning() {
    Watched gang = meetsAgain().holdsGpu(1).sick(1, FaultScope.NODE, null);

    Verdict verdict = gang.judge();

    assertThat(messages(verdict))
        .singleElement()
        .satisfies(reason("resizing.xid-gpu-fallen-off", 79, 1653922, "n1"));
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(gang.attempt().failure()).isNull();
    assertThat(step(gang)).isEqualTo(Step.SHRINK);
    assertThat(verdict.fewer()).as("it holds what it has until it is dead").isFalse();
    assertThat(gang.deleting(1).exits(1, 137, "Error").judge().fewer()).isTrue();
    assertThat(gang.attempt().core()).hasSize(3);
    assertThat(gang.after(Duration.ofMinutes(1)).judge().changed()).isFalse();
  }

  @Test
  void memberOfADeadMachineLeavesAfterTheOthersCouldReportAResult() {
    Watched gang = meetsAgain().node(1, NodeReports.node("n1").outOfService());
    gang.judge();
    assertThat(gang.attempt().members()).as("the others may have failed first").hasSize(4);

    Verdict verdict = gang.after(WorkloadTimeouts.DEFAULT.settle()).judge();

    assertThat(messages(verdict))
        .singleElement()
        .satisfies(
            reason("resizing.died-node-others-continue", "worker-1", "n1", "NODE_OUT_OF_SERVICE"));
    assertThat(verdict.fewer()).isTrue();
    assertThat(gang.attempt().left()).extracting(Member::key).containsExactly("worker-1");
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
  }

  /** Fails when the host of the rendezvous may be lost, or more members than the job can spare. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void faultEndsAllWhenTheHostOrTooManyMembersAreLost(int from) {
    Watched gang = meetsAgain();
    for (int i = from; i < (from == 0 ? 1 : 4); i++) {
      gang.node(i, NodeReports.node("n" + i).outOfService());
    }
    gang.judge();

    gang.after(WorkloadTimeouts.DEFAULT.settle()).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(gang.attempt().left()).isEmpty();
  }

  @Test
  void faultEndsAllWithoutALauncherOrAfterAMemberFailure() {
    Watched plain = elastic().holdsGpu(1).sick(1, FaultScope.NODE, null);
    plain.judge();
    assertThat(plain.state()).isEqualTo(AttemptState.STOPPING);

    Watched failed = meetsAgain().holdsGpu(1).sick(1, FaultScope.NODE, null).exits(2, 1, "Error");
    failed.judge();
    assertThat(failed.state()).isEqualTo(AttemptState.STOPPING);
  }

  /** Fails when work counts as done although a fault took a member after the others had ended. */
  @ParameterizedTest
  @CsvSource({"1, 0", "2, 3"})
  void faultEndsAllWhenTheRemainingMembersAreDone(int fewest, int done) {
    Watched gang = Watched.running(Specs.job("train").workers(4).minWorkers(fewest).torchrun());
    gang.succeeds(done).succeeds(2).holdsGpu(1).sick(1, FaultScope.NODE, null);

    gang.judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(gang.attempt().core()).as("nobody has left").hasSize(4);
  }

  @Test
  void memberJoiningOnAnUnhealthyDeviceLeavesAloneOnceItRuns() {
    Watched gang = meetsAgain().joins(3).holdsGpu(3).sick(3, FaultScope.NODE, null);

    gang.runs(3).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(gang.member("worker-3").leaves()).isTrue();
  }

  /** Fails when members that cannot continue without a lost one use a retry for its fault. */
  @ParameterizedTest
  @CsvSource({"59, GPU_FAULT", "61, USER_ERROR"})
  void faultExplainsAnEndOfTheOthersWithinAnHour(int minutes, FailureCause cause) {
    Watched gang = meetsAgain().holdsGpu(1).sick(1, FaultScope.NODE, null);
    gang.judge();
    gang.deleting(1).exits(1, 137, "Error").judge();

    gang.after(Duration.ofMinutes(minutes)).exits(2, 1, "Error").judge();
    gang.exits(0, 143, "Error").exits(3, 143, "Error").judge();

    assertThat(gang.state()).isEqualTo(AttemptState.FAILED);
    assertThat(gang.attempt().failure().cause()).isEqualTo(cause);
  }

  @Test
  void machineDeathExplainsTheEndOfTheOthers() {
    Watched gang = meetsAgain();
    dies(gang, 1);

    gang.exits(0, 1, "Error").exits(2, 1, "Error").exits(3, 1, "Error").judge();

    assertThat(gang.state()).isEqualTo(AttemptState.FAILED);
    assertThat(gang.attempt().failure().cause()).isEqualTo(FailureCause.NODE_FAILURE);
    assertThat(gang.attempt().failure().node()).isEqualTo("n1");
  }

  /**
   * Fails when a job that breaks its machines continues forever, because none of its retries
   * counts.
   */
  @Test
  void fourthFaultInAnHourEndsTheGang() {
    Watched gang = Watched.running(Specs.job("train").workers(9).minWorkers(2).torchrun());
    for (int i = 1; i <= GangRepair.MOST; i++) {
      dies(gang, i);
      assertThat(gang.attempt().left()).hasSize(i);
    }
    gang.after(GangRepair.WITHIN);
    dies(gang, 4);
    assertThat(gang.attempt().left()).as("an hour later").hasSize(4);
    dies(gang, 5);
    dies(gang, 6);
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);

    dies(gang, 7);

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
  }

  private static void dies(Watched gang, int index) {
    gang.node(index, NodeReports.node("n" + index).outOfService()).judge();
    gang.after(WorkloadTimeouts.DEFAULT.settle()).judge();
  }
}
