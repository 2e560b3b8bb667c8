package dev.fairlead.work.workload.judgement;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.MemberState;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.workload.Watched;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AttemptJudgeTest {
  @Test
  void anAttemptRunsWhenAllItsMembersRun() {
    Watched gang = Watched.launching(2).pulling(0);
    gang.judge();
    assertThat(gang.state()).as("one member is not there yet").isEqualTo(AttemptState.LAUNCHING);

    gang.runs(0).pulling(1).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.PULLING);
    assertThat(gang.attempt().startedAt()).isNull();

    gang.runs(1).after(Duration.ofSeconds(5)).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(gang.attempt().startedAt()).isEqualTo(Watched.START.plusSeconds(5));
  }

  @Test
  void anAttemptSucceedsWhenAllItsMembersDid() {
    Watched gang = Watched.running(2).succeeds(0);
    gang.judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);

    gang.succeeds(1).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.SUCCEEDED);
    assertThat(gang.attempt().failure()).isNull();
  }

  @Test
  void shortMemberSucceedsWithoutBeingSeenRunning() {
    Watched one = Watched.launching(1).succeeds(0);
    one.judge();

    assertThat(one.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  /** Fails when a container's end frees resources that its kubelet has not cleared yet. */
  @Test
  void memberHasEndedOnceItsKubeletCleanedUpOrFellSilent() {
    Watched one = Watched.running(1).lingers(0, 0);
    one.judge();
    assertThat(one.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(one.member("worker-0").exitCode()).isNull();
    one.succeeds(0).judge();
    assertThat(one.state()).isEqualTo(AttemptState.SUCCEEDED);

    Watched silent = Watched.running(1).lingers(0, 3).node(0, NodeReports.node("n0").notReady());
    silent.judge();
    assertThat(silent.state()).isEqualTo(AttemptState.FAILED);
    assertThat(silent.member("worker-0").exitCode()).isEqualTo(3);
  }

  @Test
  void unchangedReportChangesNothing() {
    Watched one = Watched.running(1);

    Verdict verdict = one.judge();

    assertThat(verdict.changed()).isFalse();
    assertThat(verdict.lookAgainAt()).isNull();
  }

  @Test
  void aLateObservationOfAnEndedAttemptChangesNothing() {
    Watched one = Watched.running(1).succeeds(0);
    one.judge();

    Verdict late = one.runs(0).judge();

    assertThat(late.changed()).isFalse();
    assertThat(one.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  @Test
  void changedMemberWritesAnEventWithItsEvidence() {
    Verdict verdict = Watched.running(2).exits(1, 3, "Error").judge();

    assertThat(verdict.facts())
        .containsExactly(
            Fact.of("MemberFailed")
                .with("member", "worker-1")
                .with("node", "n1")
                .with("exitCode", 3)
                .with("reason", "Error")
                .with("evidence", "CONTAINER_TERMINATED"));
    assertThat(verdict.event()).as("a gang's failure settles first").isNull();
    assertThat(verdict.changed()).isTrue();
  }

  @Test
  void gangWithAFailedMemberIsStoppedAfterTheSettlingTime() {
    Watched gang = Watched.running(3).exits(1, 3, "Error");
    Verdict first = gang.judge();
    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(first.lookAgainAt()).isEqualTo(Watched.START.plusSeconds(5));

    gang.after(Duration.ofSeconds(5)).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(gang.attempt().stop().cause()).isEqualTo(StopCause.MEMBER_FAILED);
    assertThat(gang.attempt().stop().deadline()).isEqualTo(Watched.START.plusSeconds(35));
    assertThat(gang.attempt().failure().member()).isEqualTo("worker-1");
  }

  @Test
  void stoppedGangEndsWhenItsLastMemberIsDead() {
    Watched gang = Watched.running(2).exits(0, 3, "Error").after(Duration.ofSeconds(5));
    gang.judge();
    gang.exits(1, 143, "Error").judge();

    assertThat(gang.state()).isEqualTo(AttemptState.FAILED);
    assertThat(gang.attempt().failure().cause()).isEqualTo(FailureCause.USER_ERROR);
    assertThat(gang.attempt().failure().exitCode()).isEqualTo(3);
  }

  @Test
  void failedSingleMemberEndsItsAttemptImmediately() {
    Watched one = Watched.running(1).exits(0, 1, "Error");
    one.judge();

    assertThat(one.state()).isEqualTo(AttemptState.FAILED);
  }

  @Test
  void evictedGangEndsEvictedLikeASingleMember() {
    // Otherwise an eviction would be retried for one member and not for many.
    Watched gang = Watched.running(2).exits(0, 137, "Evicted").after(Duration.ofSeconds(5));
    gang.judge();
    gang.exits(1, 143, "Error").judge();
    Watched one = Watched.running(1).exits(0, 137, "Evicted");
    one.judge();

    assertThat(gang.state()).isEqualTo(AttemptState.EVICTED);
    assertThat(gang.attempt().failure().cause()).isEqualTo(FailureCause.EVICTED);
    assertThat(one.state()).isEqualTo(AttemptState.EVICTED);
  }

  @Test
  void aPullErrorFailsTheAttemptAfterItsBound() {
    Watched one = Watched.launching(1).waits(0, "ErrImagePull");
    Verdict first = one.judge();
    assertThat(one.state()).isEqualTo(AttemptState.PULLING);
    assertThat(first.lookAgainAt()).isEqualTo(Watched.START.plusSeconds(15));

    one.after(Duration.ofSeconds(15)).judge();

    assertThat(one.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(one.attempt().failure().cause()).isEqualTo(FailureCause.IMAGE_PULL);
  }

  @Test
  void gangThatMissesItsStartDeadlineIsStopped() {
    Watched gang = Watched.launching(2).runs(0).pending(1);
    gang.judge();
    assertThat(gang.state()).isEqualTo(AttemptState.PULLING);

    gang.after(Duration.ofMinutes(5)).judge();

    assertThat(gang.attempt().stop().cause()).isEqualTo(StopCause.START_TIMEOUT);
    assertThat(gang.attempt().failure().cause()).isEqualTo(FailureCause.START_TIMEOUT);
  }

  @Test
  void gangThatStartedDuringAnOutageIsNotStopped() {
    Watched gang = Watched.launching(2).runs(0).runs(1);

    gang.after(Duration.ofMinutes(6)).judge();

    assertThat(gang.state()).isEqualTo(AttemptState.RUNNING);
    assertThat(gang.attempt().stop()).isNull();
  }

  @Test
  void imagePullMayTakeLongerThanAStart() {
    Watched gang = Watched.launching(2).runs(0).pulling(1).after(Duration.ofMinutes(6));
    gang.judge();
    assertThat(gang.state()).isEqualTo(AttemptState.PULLING);

    gang.after(Duration.ofMinutes(24)).judge();
    assertThat(gang.attempt().stop().cause()).isEqualTo(StopCause.START_TIMEOUT);
  }

  @Test
  void anAttemptIsStoppedAtItsMaxRuntime() {
    Watched one = Watched.running(Specs.job("long").maxRuntime(Duration.ofMinutes(10)));
    assertThat(one.judge().lookAgainAt()).isEqualTo(Watched.START.plusSeconds(600));

    one.after(Duration.ofMinutes(10)).judge();
    assertThat(one.attempt().stop().cause()).isEqualTo(StopCause.DEADLINE);

    one.exits(0, 143, "Error").judge();
    assertThat(one.state()).isEqualTo(AttemptState.FAILED);
    assertThat(one.attempt().failure().cause()).isEqualTo(FailureCause.DEADLINE_EXCEEDED);
  }

  /** Fails when only its maxRuntime is checked. */
  @Test
  void anAttemptIsStoppedAtTheDeadlineOfItsJob() {
    Watched one =
        Watched.running(
            Specs.job("due")
                .maxRuntime(Duration.ofMinutes(10))
                .deadline(Watched.START.plusSeconds(300)));
    assertThat(one.judge().lookAgainAt()).isEqualTo(Watched.START.plusSeconds(300));

    one.after(Duration.ofMinutes(5)).judge();

    assertThat(one.attempt().stop().cause()).isEqualTo(StopCause.DEADLINE);
    assertThat(one.attempt().failure().message())
        .satisfies(reason("attempt-judge.still-ran-jobs-deadline"));
  }

  @Test
  void aCancelledJobStopsItsAttempt() {
    Watched one = Watched.running(1).wanted(JobState.CANCELLING);
    one.judge();
    assertThat(one.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(one.judge().changed()).as("told once").isFalse();

    one.exits(0, 143, "Error").judge();

    assertThat(one.state()).isEqualTo(AttemptState.CANCELLED);
  }

  @Test
  void aSuspendedJobStopsItsAttempt() {
    Watched one = Watched.running(1).wanted(JobState.SUSPENDED);
    one.judge();

    assertThat(one.attempt().stop().cause()).isEqualTo(StopCause.SUSPEND);
  }

  @Test
  void aPlannedAttemptIsCancelledBeforeAnythingIsCreated() {
    Watched planned = Watched.planned(2).wanted(JobState.CANCELLING);
    planned.judge();
    assertThat(planned.state()).isEqualTo(AttemptState.STOPPING);

    planned.absent(0).judge();
    assertThat(planned.state()).as("the other may be on its way").isEqualTo(AttemptState.STOPPING);
    planned.absent(1).judge();

    assertThat(planned.state()).isEqualTo(AttemptState.CANCELLED);
    assertThat(planned.attempt().members())
        .allMatch(m -> m.evidence() == DeathEvidence.NEVER_CREATED);
  }

  @Test
  void seenMemberIsNotAbsent() {
    // A name that is free after the pod was observed proves nothing: the process may still run.
    Watched one = Watched.running(1).wanted(JobState.CANCELLING);
    one.judge();

    one.vanishes(0).absent(0).judge();

    assertThat(one.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(one.member("worker-0").dead()).isFalse();
  }

  @Test
  void foreignPodWithOurNameProvesNothing() {
    // Fails when observations are matched only by name.
    Watched one = Watched.running(1).another(0, MemberState.FAILED, 1);
    one.judge();

    assertThat(one.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(one.member("worker-0").state()).isEqualTo(MemberState.RUNNING);
    assertThat(one.member("worker-0").uid()).isEqualTo("uid-0");
  }

  @Test
  void lostMachineEndsASingleMemberAsLost() {
    Watched one = Watched.running(1).vanishes(0).node(0, NodeReports.node("n0").machineGone());
    one.judge();

    assertThat(one.state()).isEqualTo(AttemptState.LOST);
    assertThat(one.attempt().failure().cause()).isEqualTo(FailureCause.NODE_FAILURE);
    assertThat(one.attempt().failure().evidence()).contains("MACHINE_GONE");
  }

  /** Fails without the notice: a job on spot machines would use a retry with each of them. */
  @Test
  void announcedMachineLossIsNotAFaultOfTheJob() {
    NodeReports told = NodeReports.node("n0").leaving().machineGone();
    Watched one = Watched.running(1).vanishes(0).node(0, told);
    one.judge();

    assertThat(one.attempt().failure().wasAnnounced()).isTrue();
    assertThat(one.attempt().failure().message())
        .satisfies(reason("attempt-judge.announced-removal-machine"));
  }

  @Test
  void aRefusalByTheNodeIsAPlacementConflict() {
    Watched one = Watched.launching(1).refused(0, "OutOfcpu");
    one.judge();

    assertThat(one.state()).isEqualTo(AttemptState.FAILED);
    assertThat(one.attempt().failure().cause()).isEqualTo(FailureCause.PLACEMENT_CONFLICT);
    assertThat(one.member("worker-0").evidence()).isEqualTo(DeathEvidence.NEVER_STARTED);
  }
}
