package dev.fairlead.work.workload.judgement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.workload.Watched;
import dev.fairlead.work.workload.judgement.WorkloadReconciler.Step;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class WorkloadReconcilerTest {
  @Test
  void aPlannedAttemptIsLaunched() {
    assertThat(step(Watched.planned(2))).contains(Step.LAUNCH);
  }

  @Test
  void launchIsCompletedUntilEveryMemberExists() {
    // Covers crashes after k of n creates, for every k.
    Watched gang = Watched.launching(3);
    for (int k = 0; k < 3; k++) {
      gang.judge();
      assertThat(gang.state()).isEqualTo(AttemptState.LAUNCHING);
      assertThat(step(gang)).contains(Step.COMPLETE_LAUNCH);
      assertThat(WorkloadReconciler.missing(gang.attempt(), gang.observed())).hasSize(3 - k);
      gang.pending(k);
    }

    assertThat(step(gang)).isEmpty();
    gang.judge();
    assertThat(gang.state()).isEqualTo(AttemptState.PULLING);
  }

  @Test
  void seenMemberIsNotCreatedAgain() {
    Watched gang = Watched.launching(2).runs(0);
    gang.judge();

    gang.vanishes(0);

    assertThat(WorkloadReconciler.missing(gang.attempt(), gang.observed()))
        .containsExactly(new MemberKey("worker", 1, 0));
  }

  /** Fails when a pod with only injected containers never ends. */
  @Test
  void memberWithOnlySidecarsRunningIsDismissedAndEndsWithItsMainContainer() {
    Watched gang = Watched.running(2).accompanied(1, 0);
    gang.judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);

    assertThat(step(gang)).contains(Step.DISMISS);
    assertThat(WorkloadReconciler.accompanied(gang.attempt(), gang.observed()))
        .containsExactly(new MemberKey("worker", 1, 0));

    gang.lingers(1, 0).judge();
    assertThat(step(gang)).as("it was told").isEmpty();
    gang.succeeds(0).succeeds(1).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  @Test
  void runningOrUnseenMembersAreNotStopped() {
    Watched one = Watched.running(1);
    assertThat(step(one)).isEmpty();

    one.silent(true).judge();
    assertThat(one.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(step(one)).isEmpty();
  }

  @Test
  void aStoppingAttemptIsStoppedUntilAllItsMembersAreDead() {
    Watched one = Watched.running(1).wanted(JobState.CANCELLING);
    one.judge();

    assertThat(step(one)).contains(Step.STOP);
  }

  @Test
  void anEndedAttemptIsRetired() {
    Watched one = Watched.running(1).succeeds(0);
    one.judge();

    assertThat(step(one)).contains(Step.RETIRE);
    one.vanishes(0);
    assertThat(step(one))
        .as("pods may be gone, tracking and anchor are ours to remove")
        .contains(Step.RETIRE);
  }

  @Test
  void neverCreatedAttemptIsForgotten() {
    Watched one = Watched.planned(1).wanted(JobState.CANCELLING);
    one.judge();
    one.absent(0).judge();
    assertThat(one.state()).isEqualTo(AttemptState.CANCELLED);

    assertThat(step(one)).contains(Step.FORGET);
  }

  @Test
  void remainsOfANeverCreatedAttemptAreRemoved() {
    Watched one = Watched.planned(1).wanted(JobState.CANCELLING);
    one.judge();
    one.absent(0).judge();
    ObservedWorkload anchor = new ObservedWorkload(one.attempt().id(), new TreeMap<>(), true);

    assertThat(WorkloadReconciler.reconcile(one.attempt(), anchor)).contains(Step.RETIRE);
  }

  private static Optional<Step> step(Watched watched) {
    return WorkloadReconciler.reconcile(watched.attempt(), watched.observed());
  }
}
