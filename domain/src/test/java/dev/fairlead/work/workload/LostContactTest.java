package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Attempts on silent clusters and nodes: UNKNOWN, then the state that is observed again. */
class LostContactTest {
  @Test
  void silentClusterMakesAttemptsUnknownUntilItsReturn() {
    Watched one = Watched.running(1).silent(true);
    one.judge();
    assertThat(one.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(one.judge().changed()).isFalse();

    one.silent(false).judge();

    assertThat(one.state()).isEqualTo(AttemptState.RUNNING);
  }

  @Test
  void attemptReturnsFromSilenceAsFarAsItIsSeen() {
    Watched nothing = Watched.launching(2).silent(true);
    nothing.judge();
    nothing.silent(false).judge();
    assertThat(nothing.state()).isEqualTo(AttemptState.LAUNCHING);

    Watched pulling = Watched.launching(2).silent(true);
    pulling.judge();
    pulling.silent(false).runs(0).pulling(1).judge();
    assertThat(pulling.state()).isEqualTo(AttemptState.PULLING);
  }

  @Test
  void attemptThatEndedDuringTheSilenceEndsWhenSeen() {
    Watched one = Watched.running(1).silent(true);
    one.judge();

    one.silent(false).exits(0, 1, "Error").judge();

    assertThat(one.state()).isEqualTo(AttemptState.FAILED);
  }

  @Test
  void reportsFromBeforeTheSilenceAreIgnored() {
    Watched one = Watched.running(1).silent(true).exits(0, 1, "Error");
    one.judge();

    assertThat(one.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(one.member("worker-0").dead()).isFalse();
  }

  @Test
  void cancelledAttemptOfAnUnreachableClusterStaysStopping() {
    Watched one = Watched.running(1).silent(true);
    one.judge();

    one.wanted(JobState.CANCELLING).judge();

    assertThat(one.state()).isEqualTo(AttemptState.STOPPING);
  }

  @Test
  void plannedAttemptDoesNotBecomeUnknown() {
    Watched planned = Watched.planned(1).node(0, NodeReports.node("n0").notReady());
    planned.judge();

    assertThat(planned.state()).isEqualTo(AttemptState.PLANNED);
  }

  @Test
  void vanishedPodIsUnknownAndNotEnded() {
    // Fails when a missing object counts as a dead process: two attempts would run.
    Watched one = Watched.running(1).vanishes(0).after(Duration.ofHours(24));
    one.judge();

    assertThat(one.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(one.attempt().live()).isTrue();

    one.runs(0).judge();
    assertThat(one.state()).isEqualTo(AttemptState.RUNNING);
  }

  @Test
  void silentNodeMakesItsAttemptsUnknown() {
    Watched gang = Watched.running(2).node(1, NodeReports.node("n1").notReady());
    gang.judge();
    assertThat(gang.state()).isEqualTo(AttemptState.UNKNOWN);

    gang.node(1, NodeReports.node("n1")).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
  }

  /** Fails when a gang whose machine died is stopped because of the start limit. */
  @Test
  void startedGangEndsForTheMachineThatFellSilentAndDied() {
    Watched gang = Watched.running(2).node(1, NodeReports.node("n1").notReady());
    gang.judge();
    gang.after(Duration.ofHours(1)).node(1, NodeReports.node("n1").bootId("boot-2")).judge();
    gang.judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);

    gang.after(WorkloadTimeouts.DEFAULT.settle()).judge();
    assertThat(gang.attempt().stop().cause()).isEqualTo(StopCause.MEMBER_FAILED);
    assertThat(gang.attempt().failure().cause()).isEqualTo(FailureCause.NODE_FAILURE);
  }

  @Test
  void unlistedNodeMakesItsAttemptsUnknownAndProvesNothing() {
    Watched one = Watched.running(1).withoutNode(0);
    one.judge();
    assertThat(one.state()).isEqualTo(AttemptState.UNKNOWN);

    one.node(0, NodeReports.node("n0")).judge();
    assertThat(one.state()).isEqualTo(AttemptState.RUNNING);
  }
}
