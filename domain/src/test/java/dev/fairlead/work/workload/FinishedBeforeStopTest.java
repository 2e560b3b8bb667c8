package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.workload.judgement.WorkloadReconciler;
import dev.fairlead.work.workload.judgement.WorkloadReconciler.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A stop order crosses exits with code 0. The order of events on the cluster decides: a pod that
 * ended before Fairlead deleted it carries no deletion mark. No clocks are compared.
 */
class FinishedBeforeStopTest {
  /** Fails when the cause of the order decides: the job would run a second time. */
  @ParameterizedTest
  @EnumSource(StopCause.class)
  void gangThatSucceededBeforeItsPodsWereDeletedSucceeds(StopCause cause) {
    Watched gang = Watched.running(2).ordered(cause).succeeds(0).succeeds(1);
    gang.judge();

    assertThat(gang.state()).isEqualTo(AttemptState.SUCCEEDED);
    assertThat(gang.attempt().failure()).isNull();
  }

  /** Fails when exit code 0 always counts as success: SIGTERM may have ended the work halfway. */
  @ParameterizedTest
  @EnumSource(StopCause.class)
  void gangWithADeletedPodRetainsTheCauseOfTheOrder(StopCause cause) {
    Watched gang = Watched.running(3).ordered(cause).succeeds(0).succeeds(1).deleting(1);
    gang.judge();
    assertThat(gang.member("worker-1").reason()).isEqualTo("Stopped");
    gang.succeeds(2).judge();

    assertThat(gang.state()).isEqualTo(cause.end());
  }

  /**
   * Fails when an order that is stored after the dismissal, and before its end is seen, decides. A
   * dismissed pod shows no deletion mark: its container had ended before.
   */
  @ParameterizedTest
  @EnumSource(StopCause.class)
  void gangDismissedBeforeTheOrderSucceeds(StopCause cause) {
    Watched gang = Watched.running(2).accompanied(0, 0).accompanied(1, 0);
    assertThat(WorkloadReconciler.reconcile(gang.attempt(), gang.observed()))
        .contains(Step.DISMISS);
    gang.ordered(cause).lingers(0, 0).lingers(1, 0).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);

    gang.succeeds(0).succeeds(1).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  /**
   * Fails when any deletion timestamp counts: a pod deleted by others may have succeeded before.
   */
  @Test
  void podDeletedByOthersThatExitsZeroSucceeds() {
    Watched one = Watched.running(1).succeeds(0).deleting(0);
    one.judge();

    assertThat(one.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  /** Fails when a stop is sent again and again to pods that were deleted and cannot end yet. */
  @Test
  void stopOrderAppliesToPodsNotYetDeleted() {
    Watched gang = Watched.running(2).ordered(StopCause.PREEMPTION).deleting(0);
    assertThat(WorkloadReconciler.toStop(gang.attempt(), gang.observed()))
        .containsExactly(new MemberKey("worker", 1, 0));
    assertThat(WorkloadReconciler.reconcile(gang.attempt(), gang.observed())).contains(Step.STOP);

    gang.deleting(1).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(WorkloadReconciler.reconcile(gang.attempt(), gang.observed())).isEmpty();
  }
}
