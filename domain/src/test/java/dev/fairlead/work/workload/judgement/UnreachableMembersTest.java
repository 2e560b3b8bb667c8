package dev.fairlead.work.workload.judgement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.member.DeathEvidence;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.spec.JobSpec.OnUnreachable;
import dev.fairlead.work.workload.Watched;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Policies of jobs for unreachable members, and their effect. */
class UnreachableMembersTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static Watched running(OnUnreachable wish) {
    return Watched.running(Specs.job("train").workers(2).maxRuntime(HOUR).onUnreachable(wish));
  }

  private static void assertEnded(Watched attempt, DeathEvidence proof) {
    assertThat(attempt.state()).isEqualTo(AttemptState.LOST);
    assertThat(attempt.attempt().members()).allMatch(m -> m.evidence() == proof);
    assertThat(attempt.attempt().failure())
        .matches(failure -> failure.cause() == FailureCause.CLUSTER_LOST);
  }

  @Test
  void waitingAttemptKeepsItsAllocationHoweverLongItIsUnseen() {
    Watched waits = Watched.running(2).silent(true).certainlyOver();
    for (int day = 0; day < 30; day++) {
      waits.after(Duration.ofDays(1)).judge();
      assertThat(waits.state()).isEqualTo(AttemptState.UNKNOWN);
    }
  }

  /** Fails when the database's clock decides. */
  @Test
  void unreachableAttemptIsAbandonedAfterItsDeadlineByTheSteadyClock() {
    Watched unreachable =
        running(OnUnreachable.AFTER_DEADLINE).silent(true).after(HOUR.multipliedBy(3));
    unreachable.judge();
    unreachable.judge();
    assertThat(unreachable.state())
        .as("the clock of the database may step")
        .isEqualTo(AttemptState.UNKNOWN);

    unreachable.certainlyOver().judge();

    assertEnded(unreachable, DeathEvidence.HARD_DEADLINE_PASSED);
  }

  @Test
  void seenAttemptIsStoppedAtItsDeadlineWhateverItReports() {
    Watched seen = running(OnUnreachable.AFTER_DEADLINE).after(HOUR).certainlyOver();
    seen.judge();
    assertThat(seen.state()).isEqualTo(AttemptState.STOPPING);
  }

  @Test
  void attemptIsAbandonedAfterItsDeadlineAndTheKubeletsMargin() {
    Specs spec = Specs.job("train").maxRuntime(HOUR);
    assertThat(UnreachableMembers.givenUpAfter(Watched.running(spec).job())).isNull();
    Watched enforced = Watched.running(spec.onUnreachable(OnUnreachable.AFTER_DEADLINE));
    assertThat(UnreachableMembers.givenUpAfter(enforced.job()))
        .isGreaterThan(HOUR.plus(enforced.job().spec().preemption().gracePeriod()))
        .isLessThanOrEqualTo(HOUR.plusSeconds(60));
  }

  /** Fails when one check suffices: a view may be briefly incomplete. */
  @Test
  void overlapAllowsARestartOnTheSecondPass() {
    Watched unreachable =
        running(OnUnreachable.ALLOW_OVERLAP).node(1, NodeReports.node("n1").notReady());
    Verdict first = unreachable.judge();
    assertThat(unreachable.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(first.lookAgainAt()).as("at once").isNotNull();

    unreachable.silent(true).judge();

    assertEnded(unreachable, DeathEvidence.OVERLAP_ALLOWED);
  }

  /**
   * Fails when missing pods or boots of another API server end attempts while the breaker is open.
   */
  @Test
  void duringAMassOutageNeitherOverlapNorAnotherBootEndsAnAttempt() {
    Watched missing = running(OnUnreachable.ALLOW_OVERLAP);
    missing.node(1, NodeReports.node("n1").bootId("other")).doubted(true).vanishes(0).vanishes(1);
    missing.judge();
    Verdict second = missing.judge();
    assertThat(missing.state()).isEqualTo(AttemptState.UNKNOWN);
    assertThat(missing.attempt().members()).noneMatch(Member::dead);
    assertThat(second.lookAgainAt()).as("not at every turn").isAfter(Watched.START);

    missing.doubted(false).judge();

    assertThat(missing.member("worker-0").evidence()).isEqualTo(DeathEvidence.OVERLAP_ALLOWED);
    assertThat(missing.member("worker-1").evidence()).isEqualTo(DeathEvidence.NODE_REBOOTED);
  }

  /** Fails when an open breaker holds attempts beyond the deadline of their owner. */
  @Test
  void attemptEndsAtItsDeadlineEvenWhileManyAttemptsAreMissing() {
    Watched missing =
        Watched.running(
            Specs.job("train").maxRuntime(HOUR).onUnreachable(OnUnreachable.AFTER_DEADLINE));
    missing.doubted(true).vanishes(0).judge();
    assertThat(missing.member("worker-0").dead()).isFalse();

    missing.certainlyOver().judge();

    assertThat(missing.member("worker-0").evidence()).isEqualTo(DeathEvidence.HARD_DEADLINE_PASSED);
  }

  @Test
  void onlyUnseenMembersOfAGangCountAsGone() {
    Watched gang = running(OnUnreachable.ALLOW_OVERLAP).node(1, NodeReports.node("n1").notReady());
    gang.judge();
    gang.judge();
    gang.after(WorkloadTimeouts.DEFAULT.settle().plusSeconds(1)).judge();
    assertThat(gang.member("worker-0").dead()).isFalse();
    assertThat(gang.member("worker-1").evidence()).isEqualTo(DeathEvidence.OVERLAP_ALLOWED);
    assertThat(gang.state()).as("the other one has to end first").isEqualTo(AttemptState.STOPPING);
  }

  /** Fails when a view that does not exist yet, as after a takeover, ends a planned attempt. */
  @Test
  void unsentAttemptStaysPlannedUntilItsClusterIsSilentLongEnough() {
    Watched planned = Watched.planned(2).silent(true).wanted(JobState.CANCELLING);
    planned.judge();
    assertThat(planned.state()).isEqualTo(AttemptState.PLANNED);
    assertThat(planned.attempt().members()).noneMatch(Member::dead);
    assertThat(planned.attempt().stop()).isNull();
  }

  @Test
  void attemptNeverSentToASilentClusterIsReplannedWithoutCost() {
    Attempt given =
        UnlaunchedAttempt.giveUp(Watched.planned(2).attempt(), "it does not answer", Watched.START)
            .orElseThrow()
            .attempt();
    assertThat(given.members()).allMatch(m -> m.evidence() == DeathEvidence.NEVER_CREATED);
    assertThat(given.failure())
        .matches(failure -> failure.cause() == FailureCause.PLACEMENT_CONFLICT);
    assertThat(UnlaunchedAttempt.giveUp(Watched.launching(2).attempt(), "x", Watched.START))
        .isEmpty();
  }

  /** Fails when creates that may be in flight count as never sent. */
  @Test
  void attemptPossiblySentToASilentClusterWaits() {
    Watched launching = Watched.launching(2).silent(true).wanted(JobState.CANCELLING);
    launching.judge();
    launching.judge();
    assertThat(launching.attempt().members()).noneMatch(Member::dead);
  }
}
