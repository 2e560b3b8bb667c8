package dev.fairlead.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.attempt.AttemptState;
import dev.fairlead.attempt.Member;
import dev.fairlead.job.Specs;
import dev.fairlead.workload.WorkloadReconciler.Step;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Members that come to a running attempt, and leave it. */
class ResizingTest {
  private static Watched elastic() {
    return Watched.running(Specs.job("train").workers(3).minWorkers(1));
  }

  private static Step step(Watched watched) {
    return WorkloadReconciler.reconcile(watched.attempt(), watched.observed()).orElse(null);
  }

  @Test
  void whoJoinsIsCreatedAndBelongsToTheAttemptOnceItRuns() {
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

  /** Fails when the end of a member that joins is judged as that of any other. */
  @Test
  void whoFailsBeforeItRunsHasLeftAndTheAttemptLivesOn() {
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
  void whoDoesNotComeUpInTimeIsToldToLeave() {
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
  void theEndOfWhoLeavesIsNoFailureWhateverItsExitCode() {
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

  /** Fails when silence counts as the end of a member that was told to leave. */
  @Test
  void whoLeavesHoldsWhatItHasWhileItsNodeIsSilent() {
    Watched gang = elastic().leaves(2).silent(true).after(Duration.ofHours(1));

    assertThat(gang.judge().fewer()).isFalse();

    assertThat(gang.attempt().members()).hasSize(3);
    assertThat(gang.state()).isEqualTo(AttemptState.UNKNOWN);
  }

  @Test
  void whoStillJoinsWhenAllOthersAreDoneIsToldToLeave() {
    Watched gang = elastic().joins(2).pulling(2).succeeds(0).succeeds(1);
    gang.judge();
    assertThat(gang.member("worker-2").leaves()).isTrue();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);

    gang.exits(2, 143, "Error").judge();

    assertThat(gang.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  @Test
  void aFailureOfTheOthersEndsAll() {
    Watched gang = elastic().joins(2).exits(0, 1, "Error").after(Duration.ofSeconds(10));

    gang.judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(step(gang)).isEqualTo(Step.STOP);
  }
}
