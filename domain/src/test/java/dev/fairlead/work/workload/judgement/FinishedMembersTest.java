package dev.fairlead.work.workload.judgement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.Watched;
import dev.fairlead.work.workload.judgement.WorkloadReconciler.Step;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Members of a gang that end with success while others still run. */
class FinishedMembersTest {
  private static final Duration SETTLE = WorkloadTimeouts.DEFAULT.settle();

  private static Watched oneOfThreeIsDone() {
    Watched gang = Watched.running(3).succeeds(1);
    gang.judge();
    return gang.after(SETTLE);
  }

  @Test
  void finishedMemberLeavesAndTheOthersKeepRunning() {
    Watched gang = oneOfThreeIsDone();

    Verdict verdict = gang.judge();

    assertThat(verdict.fewer()).isTrue();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(gang.attempt().left()).extracting(Member::key).containsExactly("worker-1");
    assertThat(gang.attempt().members())
        .extracting(Member::key)
        .containsExactly("worker-0", "worker-2");
    assertThat(WorkloadReconciler.reconcile(gang.attempt(), gang.observed()))
        .as("nobody takes its place")
        .isEmpty();
  }

  /** Fails when a member is released a second time. */
  @Test
  void finishedMemberLeavesOnce() {
    Watched gang = oneOfThreeIsDone();
    gang.judge();

    Verdict again = gang.after(Duration.ofMinutes(1)).judge();

    assertThat(again.fewer()).isFalse();
    assertThat(again.changed()).isFalse();
    assertThat(gang.attempt().left()).hasSize(1);
  }

  /** Fails when a gang whose members end together is stored member by member. */
  @Test
  void finishedMemberHoldsItsResourcesForTheSettlingTime() {
    Watched gang = Watched.running(2).succeeds(0);

    Verdict verdict = gang.judge();
    assertThat(verdict.fewer()).isFalse();
    assertThat(verdict.lookAgainAt()).isEqualTo(Watched.START.plus(SETTLE));
    Verdict whole = gang.after(SETTLE.minusMillis(1)).succeeds(1).judge();

    assertThat(whole.fewer()).isFalse();
    assertThat(gang.state()).isEqualTo(AttemptState.SUCCEEDED);
    assertThat(gang.attempt().members()).hasSize(2);
  }

  /** Fails when the end of the container counts before its kubelet has cleared its devices. */
  @Test
  void finishedMemberHoldsItsGpusUntilItsPodIsCleanedUp() {
    Watched gang = Watched.running(2).lingers(0, 0);
    gang.judge();

    Verdict verdict = gang.after(Duration.ofHours(1)).judge();

    assertThat(verdict.fewer()).isFalse();
    assertThat(gang.attempt().members()).hasSize(2);
  }

  /** Fails when a gang that started by a clock hours ahead holds everything for these hours. */
  @Test
  void startTimeInTheFutureDoesNotDelayTheRelease() {
    Watched gang = Watched.running(2).succeeds(0);
    gang.judge();

    Verdict verdict = gang.after(Duration.ofHours(-3)).judge();

    assertThat(verdict.fewer()).isTrue();
  }

  @Test
  void theGangSucceedsWithTheLastMember() {
    Watched gang = oneOfThreeIsDone();
    gang.judge();

    gang.succeeds(0).succeeds(2).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.SUCCEEDED);
    assertThat(gang.attempt().withFinished()).hasSize(3);
  }

  @Test
  void aLaterFailureEndsTheGang() {
    Watched gang = oneOfThreeIsDone();
    gang.judge();

    gang.exits(0, 1, "Error").after(SETTLE).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(WorkloadReconciler.reconcile(gang.attempt(), gang.observed())).contains(Step.STOP);
    gang.exits(2, 143, "Error").judge();

    assertThat(gang.state()).isEqualTo(AttemptState.FAILED);
    assertThat(gang.attempt().failure().cause()).isEqualTo(FailureCause.USER_ERROR);
  }

  @Test
  void failedMemberTakesPrecedence() {
    Watched gang = Watched.running(3).succeeds(1).exits(0, 1, "Error");
    gang.judge();

    Verdict verdict = gang.after(SETTLE).judge();

    assertThat(verdict.fewer()).isFalse();
    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
  }

  @Test
  void silentNodeDoesNotDelayTheRelease() {
    Watched gang = oneOfThreeIsDone().silent(true);

    assertThat(gang.judge().fewer()).isTrue();
    assertThat(gang.state()).isEqualTo(AttemptState.UNKNOWN);
  }

  /** Fails when the gang gets another member for one that has finished. */
  @Test
  void growableGangRetainsFinishedMembers() {
    Watched elastic = Watched.running(Specs.job("train").workers(3).minWorkers(1)).succeeds(1);
    Watched repaired = Watched.running(Specs.job("train").workers(3).repaired(1)).succeeds(1);
    elastic.judge();
    repaired.judge();

    assertThat(elastic.after(SETTLE).judge().fewer()).isFalse();
    assertThat(repaired.after(SETTLE).judge().fewer()).isFalse();
  }

  /** Fails when members that have not run yet are started without the host of the gang. */
  @Test
  void nothingIsReleasedBeforeAllMembersHaveRun() {
    Watched gang = Watched.launching(2).succeeds(0).pulling(1);
    gang.judge();
    Instant limit = gang.after(SETTLE).judge().lookAgainAt();

    assertThat(gang.attempt().members()).hasSize(2);
    assertThat(limit).isAfter(Watched.START.plus(SETTLE));
  }

  /** Fails when a member that ended before the start of its gang waits for the next full pass. */
  @Test
  void aMemberThatEndedFirstIsReleasedAfterTheStart() {
    Watched gang = Watched.launching(2).succeeds(0).pulling(1);
    gang.judge();

    Verdict started = gang.after(Duration.ofMinutes(1)).runs(1).judge();
    assertThat(started.fewer()).isFalse();
    assertThat(started.lookAgainAt()).isNotNull();
    assertThat(gang.after(SETTLE).judge().fewer()).isTrue();
    assertThat(WorkloadReconciler.yields(gang.attempt(), gang.job(), member -> true))
        .as("its last member may be evicted")
        .isEqualTo(gang.job().spec().preemption().allowed());
  }
}
