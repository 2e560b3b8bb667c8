package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.attempt.member.UnansweredPod;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** An attempt with a pod that its cluster neither lists nor confirms as deleted. */
class UnansweredPodTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static Watched gang() {
    return Watched.running(Specs.job("train").workers(2).maxRuntime(HOUR)).unanswered(1);
  }

  /** Fails when a missing pod counts while its cluster is still being queried. */
  @Test
  void absenceFromReportsProvesNothingWhateverTheJobAllows() {
    for (OnUnreachable wish : OnUnreachable.values()) {
      Specs spec = Specs.job("train").workers(1).maxRuntime(HOUR).onUnreachable(wish);
      Watched one = Watched.running(spec).certainlyOver().unanswered(0);
      one.judge();
      assertThat(one.state()).isEqualTo(AttemptState.RUNNING);

      one.after(HOUR).judge();
      one.after(HOUR).judge();
      assertThat(one.state()).as("only told to stop").isEqualTo(AttemptState.STOPPING);
      assertThat(one.member("worker-0").dead()).isFalse();
    }
  }

  /** Fails when a pod on a silent node counts as deleted while its cluster is being queried. */
  @Test
  void attemptOnASilentNodeStaysUnknown() {
    Specs spec = Specs.job("train").workers(1).onUnreachable(OnUnreachable.ALLOW_OVERLAP);
    Watched one = Watched.running(spec).unanswered(0).node(0, NodeReports.node("n0").notReady());
    for (int look = 0; look < 3; look++) {
      one.after(HOUR).judge();
      assertThat(one.state()).isEqualTo(AttemptState.UNKNOWN);
    }
    one.node(0, NodeReports.node("n0")).judge();
    assertThat(one.state()).as("its pod is not seen again").isEqualTo(AttemptState.UNKNOWN);
  }

  /** Fails when observations and limits of other members wait for the answer. */
  @Test
  void reportsOfOtherPodsAndAllDeadlinesContinue() {
    Watched failed = gang().exits(0, 3, "Error");
    failed.judge();
    failed.after(Duration.ofSeconds(5)).judge();
    assertThat(failed.member("worker-0").evidence()).isEqualTo(DeathEvidence.CONTAINER_TERMINATED);
    assertStopped(failed, StopCause.MEMBER_FAILED);

    assertStopped(gang().after(HOUR), StopCause.DEADLINE);
    assertStopped(gang().drained(1), StopCause.DRAIN);
    assertStopped(gang().holdsGpu(1).sick(1, FaultScope.NODE, null), StopCause.ISOLATION);
    assertStopped(gang().wanted(JobState.CANCELLING), StopCause.CANCEL);
  }

  private static void assertStopped(Watched attempt, StopCause cause) {
    attempt.judge();
    assertThat(attempt.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(attempt.attempt().stop().cause()).isEqualTo(cause);
    attempt.after(HOUR).judge();
    assertThat(attempt.state()).as("its pod may live").isEqualTo(AttemptState.STOPPING);
  }

  /** Fails when an end proven by its node waits for the answer about its pod. */
  @Test
  void nodeEvidenceProvesItsEnd() {
    Watched gang = gang().node(1, NodeReports.node("n1").machineGone()).exits(0, 1, "Error");
    gang.judge();
    assertThat(gang.member("worker-1").evidence()).isEqualTo(DeathEvidence.MACHINE_GONE);
    assertThat(gang.attempt().live()).isFalse();
  }

  /** Fails when the owner gets no report, or a report at each check. */
  @Test
  void reasonNamesTheStartOfTheSilenceUntilAResponse() {
    Watched gang = gang();
    gang.after(UnansweredPod.SAID_AFTER.minusSeconds(1));
    assertThat(gang.judge().changed()).as("too short to tell").isFalse();

    gang.after(Duration.ofSeconds(1));
    assertThat(gang.judge().facts()).hasSize(1);
    assertThat(UnansweredPod.since(gang.member("worker-1"))).isEqualTo(Watched.START);
    assertThat(UnansweredPod.since(gang.member("worker-0"))).isNull();
    gang.after(HOUR.minus(Duration.ofMinutes(2)));
    assertThat(gang.judge().changed()).as("said once").isFalse();

    gang.runs(1).judge();
    assertThat(gang.member("worker-1").reason()).isNull();
    assertThat(gang.member("worker-1").state()).isEqualTo(MemberState.RUNNING);
  }

  @Test
  void confirmedAbsenceMakesTheAttemptUnknown() {
    Watched gang = gang().after(UnansweredPod.SAID_AFTER);
    gang.judge();
    gang.answered().judge();
    assertThat(gang.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(gang.member("worker-1").reason()).isNull();
  }
}
