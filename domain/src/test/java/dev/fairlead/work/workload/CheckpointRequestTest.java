package dev.fairlead.work.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.care.health.FaultScope;
import dev.fairlead.fleet.node.NodeReports;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.CheckpointRequest.Outcome;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.CheckpointTransitions;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.workload.judgement.Verdict;
import dev.fairlead.work.workload.judgement.WorkloadReconciler;
import dev.fairlead.work.workload.judgement.WorkloadTimeouts;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Attempts that may save their work before they are stopped. */
class CheckpointRequestTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final Duration GRACE = Specs.RULES.gracePeriod();
  private static final Instant UNTIL = Watched.START.plus(TIMEOUT);
  private static final Set<StopCause> ASK =
      EnumSet.of(StopCause.PREEMPTION, StopCause.DRAIN, StopCause.SUSPEND);

  private static Specs spec(int members) {
    return Specs.job("train").workers(members).checkpointTimeout(TIMEOUT);
  }

  private static Watched asked(int members) {
    return Watched.running(spec(members)).ordered(StopCause.PREEMPTION).asks();
  }

  private static Optional<WorkloadReconciler.Step> step(Watched watched) {
    return WorkloadReconciler.reconcile(watched.attempt(), watched.observed());
  }

  private static Outcome outcome(Attempt attempt) {
    return Optional.ofNullable(attempt.checkpointRequest())
        .map(CheckpointRequest::outcome)
        .orElseThrow();
  }

  private static Instant deadline(Attempt attempt) {
    return Optional.ofNullable(attempt.stop()).orElseThrow().deadline();
  }

  /** Fails when a pod is deleted while its program may still save. */
  @Test
  void nothingIsDeletedBeforeTheCheckpointDeadline() {
    Watched gang = asked(2).after(TIMEOUT.minusMillis(1));
    Verdict verdict = gang.judge();
    assertThat(verdict.changed()).isFalse();
    assertThat(verdict.lookAgainAt()).isEqualTo(UNTIL);
    assertThat(gang.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(step(gang)).isEmpty();

    Verdict over = gang.after(Duration.ofMillis(1)).judge();
    assertThat(over.event()).isEqualTo(new AttemptEvent.CheckpointEnded(Outcome.TIMED_OUT));
    assertThat(step(gang)).contains(WorkloadReconciler.Step.STOP);
    assertThat(deadline(gang.attempt())).isEqualTo(UNTIL.plus(GRACE));
    assertThat(gang.after(TIMEOUT).judge().changed()).as("once").isFalse();
  }

  /** Fails when the response is not awaited, or the remaining time is awaited after it. */
  @Test
  void attemptStopsAsSoonAsItsCheckpointIsReported() {
    Watched gang = asked(2);
    assertThat(deadline(gang.attempt())).isEqualTo(UNTIL.plus(GRACE));
    gang.after(Duration.ofSeconds(20)).checkpoints().judge();
    assertThat(outcome(gang.attempt())).isEqualTo(Outcome.ACKNOWLEDGED);
    assertThat(deadline(gang.attempt())).isEqualTo(Watched.START.plusSeconds(20).plus(GRACE));
    assertThat(step(gang)).contains(WorkloadReconciler.Step.STOP);
  }

  /** Fails when a checkpoint from before the request counts as the response to it. */
  @Test
  void earlierCheckpointIsNotAResponse() {
    Watched gang = Watched.running(spec(2)).checkpoints().after(Duration.ofSeconds(1));
    gang.ordered(StopCause.PREEMPTION);
    assertThat(gang.judge().changed()).isFalse();
  }

  /** Fails when exit code 0 after the request counts as the end of the work. */
  @Test
  void attemptThatCheckpointsAndExitsRestarts() {
    Watched gang = asked(2).succeeds(0);
    gang.judge();
    assertThat(gang.state()).as("the other still saves").isEqualTo(AttemptState.STOPPING);
    assertThat(step(gang)).isEmpty();
    gang.succeeds(1).judge();
    assertThat(gang.state()).isEqualTo(AttemptState.PREEMPTED);
    assertThat(outcome(gang.attempt())).isEqualTo(Outcome.EXITED);
  }

  /** Fails when a request that is stored, and has reached no pod, counts: it would run again. */
  @ParameterizedTest
  @EnumSource(names = {"PREEMPTION", "DRAIN", "SUSPEND"})
  void attemptThatEndsBeforeTheRequestReachesItsPodsSucceeds(StopCause cause) {
    Watched gang = Watched.running(spec(2)).ordered(cause).succeeds(0).asks().succeeds(1);
    gang.judge();
    assertThat(gang.member("worker-0").reason()).as("ended before").isNull();
    assertThat(gang.member("worker-1").reason()).isEqualTo("Stopped");

    Watched lagging = Watched.running(spec(2)).ordered(cause).succeeds(0).succeeds(1).asks();
    lagging.judge();
    assertThat(lagging.state()).isEqualTo(AttemptState.SUCCEEDED);

    Watched dismissed = Watched.running(spec(2)).accompanied(0, 0).accompanied(1, 0);
    dismissed.ordered(cause).asks().lingers(0, 0).lingers(1, 0).judge();
    dismissed.succeeds(0).succeeds(1).judge();
    assertThat(dismissed.state()).isEqualTo(AttemptState.SUCCEEDED);
  }

  /** Fails when a late request reverts a stored end. */
  @Test
  void earlierSuccessIsFinal() {
    Watched gang = Watched.running(spec(2)).succeeds(0);
    gang.judge();
    gang.asks().ordered(StopCause.PREEMPTION).succeeds(1).judge();
    assertThat(gang.member("worker-0").reason()).as("it had finished").isNull();
    assertThat(gang.member("worker-1").reason()).isEqualTo("Stopped");
    assertThat(gang.state()).as("one was stopped").isEqualTo(AttemptState.PREEMPTED);
  }

  /** Fails when a program is awaited although its owner cancelled it. */
  @Test
  void aCancelEndsTheWait() {
    Watched gang = asked(2).wanted(JobState.CANCELLING);
    gang.judge();
    assertThat(outcome(gang.attempt())).isEqualTo(Outcome.CUT_SHORT);
    assertThat(step(gang)).contains(WorkloadReconciler.Step.STOP);
  }

  /** Fails when a program on a sick GPU is awaited. */
  @Test
  void gpuFaultEndsTheWait() {
    Watched gang = Watched.running(spec(2)).holdsGpu(1).ordered(StopCause.DRAIN);
    gang.sick(1, FaultScope.NODE, null).judge();
    assertThat(outcome(gang.attempt())).isEqualTo(Outcome.CUT_SHORT);
  }

  /** Fails when a gang that cannot continue holds its nodes for the whole time. */
  @Test
  void failedMemberEndsTheWaitOfTheOthers() {
    Watched gang = asked(2).exits(0, 1, "Error");
    Verdict verdict = gang.judge();
    assertThat(gang.attempt().awaitedCheckpoint()).as("others may fail as well").isNotNull();
    assertThat(verdict.lookAgainAt()).isBefore(UNTIL);
    gang.after(WorkloadTimeouts.DEFAULT.settle()).judge();
    assertThat(outcome(gang.attempt())).isEqualTo(Outcome.CUT_SHORT);
    assertThat(step(gang)).contains(WorkloadReconciler.Step.STOP);
  }

  /** Fails when a silent kubelet is awaited. */
  @Test
  void silentNodeEndsTheWait() {
    Watched gang = asked(2).node(1, NodeReports.node("n1").notReady());
    gang.judge();
    assertThat(outcome(gang.attempt())).isEqualTo(Outcome.CUT_SHORT);
  }

  /** Fails when joining members prevent the end of a gang that has saved. */
  @Test
  void endOfAllMembersIsTheResponse() {
    Watched grows = Watched.running(spec(3)).joins(2).ordered(StopCause.PREEMPTION).asks();
    grows.succeeds(0).judge();
    assertThat(grows.attempt().awaitedCheckpoint()).as("one still saves").isNotNull();
    grows.succeeds(1).judge();
    assertThat(outcome(grows.attempt())).isEqualTo(Outcome.EXITED);
    assertThat(step(grows)).as("what joins").contains(WorkloadReconciler.Step.STOP);
    grows.absent(2).judge();
    assertThat(grows.state()).isEqualTo(AttemptState.PREEMPTED);
  }

  /** Fails when a sidecar of its cluster hides that a program has saved and ended. */
  @Test
  void programThatEndedWithRunningSidecarsIsDismissedMeanwhile() {
    Watched one = asked(1).accompanied(0, 0);
    one.judge();
    assertThat(step(one)).contains(WorkloadReconciler.Step.DISMISS);
    one.lingers(0, 0).judge();
    one.succeeds(0).judge();
    assertThat(one.state()).isEqualTo(AttemptState.PREEMPTED);
    assertThat(outcome(one.attempt())).isEqualTo(Outcome.EXITED);
  }

  /** Fails when a request extends the job's own limit. */
  @Test
  void waitIsCappedByTheDeadlineOfTheJob() {
    Instant over = Watched.START.plusSeconds(100);
    for (Specs spec :
        List.of(spec(1).maxRuntime(Duration.ofSeconds(100)), spec(1).deadline(over))) {
      Watched late = Watched.running(spec).after(Duration.ofSeconds(40));
      late.ordered(StopCause.PREEMPTION);
      assertThat(late.judge().lookAgainAt()).isEqualTo(over);
      assertThat(deadline(late.attempt())).isEqualTo(over.plus(GRACE));
      late.after(Duration.ofSeconds(60)).judge();
      assertThat(outcome(late.attempt())).isEqualTo(Outcome.TIMED_OUT);

      Watched done = Watched.running(spec).after(Duration.ofSeconds(100));
      done.ordered(StopCause.SUSPEND);
      assertThat(done.attempt().checkpointRequest()).isNull();
    }
  }

  /** Fails when an order that others read by the clock is counted without its steps. */
  @Test
  void checkpointTimeoutUsesTheClockOfTheDatabase() {
    Duration step = Duration.ofHours(1);
    Watched gang = Watched.running(spec(2)).clockSteps(step).wanted(JobState.SUSPENDED);
    gang.judge();
    assertThat(gang.attempt().checkpointRequest())
        .isEqualTo(new CheckpointRequest(Watched.START.plus(step), UNTIL.plus(step), null));
    assertThat(deadline(gang.attempt())).isEqualTo(UNTIL.plus(step).plus(GRACE));
  }

  /** Fails when a clock that is set back extends the wait, or refuses the response. */
  @Test
  void backwardClockStepEndsTheWait() {
    Watched little = asked(1).after(Duration.ofSeconds(-30));
    assertThat(little.judge().changed()).as("a late look at the clock").isFalse();
    little.checkpoints().judge();
    assertThat(outcome(little.attempt())).isEqualTo(Outcome.ACKNOWLEDGED);

    Watched far = asked(1).after(Duration.ofHours(-1));
    far.judge();
    assertThat(outcome(far.attempt())).isEqualTo(Outcome.TIMED_OUT);
    assertThat(deadline(far.attempt()))
        .isEqualTo(Watched.START.minus(Duration.ofHours(1)).plus(GRACE));
  }

  /** Fails when the wait starts again while the cluster is silent. */
  @Test
  void silentClusterDelaysNothing() {
    Watched gang = asked(2).silent(true).after(TIMEOUT);
    gang.judge();
    assertThat(outcome(gang.attempt())).isEqualTo(Outcome.TIMED_OUT);
  }

  @ParameterizedTest
  @EnumSource(StopCause.class)
  void onlyCausesWithStateToSaveRequestACheckpoint(StopCause cause) {
    Watched gang = Watched.running(spec(1)).ordered(cause);
    assertThat(gang.attempt().awaitedCheckpoint() != null).isEqualTo(ASK.contains(cause));
  }

  @Test
  void attemptNotRunningOrWithoutCheckpointsStopsImmediately() {
    Watched plain = Watched.running(1).ordered(StopCause.PREEMPTION);
    assertThat(plain.attempt().checkpointRequest()).isNull();
    assertThat(deadline(plain.attempt())).isEqualTo(Watched.START.plus(GRACE));
    Watched starts = Watched.planned(spec(1)).launched().ordered(StopCause.PREEMPTION);
    assertThat(starts.attempt().checkpointRequest()).isNull();
  }

  /** Fails when a saving program is stopped before the limit, or awaited beyond it. */
  @Test
  void programStillSavingIsExtendedWithinTheOperatorLimit() {
    Duration longest = Duration.ofMinutes(5);
    Watched gang = asked(1).after(Duration.ofSeconds(110));
    gang.extended(TIMEOUT, longest);
    Instant later = Watched.START.plusSeconds(110).plus(TIMEOUT);
    assertThat(gang.after(Duration.ofSeconds(10)).judge().lookAgainAt()).isEqualTo(later);
    assertThat(deadline(gang.attempt())).isEqualTo(later.plus(GRACE));

    gang.extended(Duration.ofSeconds(1), longest);
    assertThat(gang.judge().lookAgainAt()).as("nothing is taken away").isEqualTo(later);
    gang.extended(Duration.ofHours(1), longest);
    assertThat(gang.judge().lookAgainAt()).isEqualTo(Watched.START.plus(longest));
    gang.after(Duration.ofMinutes(3)).judge();
    assertThat(outcome(gang.attempt())).isEqualTo(Outcome.TIMED_OUT);
    assertThat(deadline(gang.attempt())).isEqualTo(Watched.START.plus(longest).plus(GRACE));
  }

  /** Fails when an extension for saving also extends the job. */
  @Test
  void noExtensionExceedsTheDeadlineOfTheJob() {
    Watched one = Watched.running(spec(1).maxRuntime(Duration.ofMinutes(3)));
    one.ordered(StopCause.PREEMPTION).extended(Duration.ofHours(1), Duration.ofDays(1));
    assertThat(one.judge().lookAgainAt()).isEqualTo(Watched.START.plus(Duration.ofMinutes(3)));
  }

  /** Fails when the operator's current limit does not apply to earlier jobs. */
  @Test
  void operatorLimitCapsTheExtensionOfTheJob() {
    Watched gang = asked(1).allowing(Duration.ofSeconds(30));
    assertThat(gang.judge().lookAgainAt()).isEqualTo(Watched.START.plusSeconds(30));
    gang.after(Duration.ofSeconds(30)).judge();
    assertThat(outcome(gang.attempt())).isEqualTo(Outcome.TIMED_OUT);
  }

  /** Fails when an element cannot report a checkpoint, or an ended one can. */
  @Test
  void liveAttemptReportsForItself() {
    Watched element = Watched.running(spec(1).array("0-1")).ordered(StopCause.PREEMPTION);
    Attempt saved =
        CheckpointTransitions.saved(element.job(), element.attempt(), "step 7", Watched.START)
            .map(Transition::attempt)
            .orElseThrow();
    assertThat(saved.checkpointedAt()).isEqualTo(Watched.START);
    Watched plain = Watched.running(1).ordered(StopCause.PREEMPTION);
    assertThat(CheckpointTransitions.saved(plain.job(), plain.attempt(), null, Watched.START))
        .as("it is stopped already")
        .isEmpty();
    assertThat(
            CheckpointTransitions.extended(
                plain.job(), plain.attempt(), TIMEOUT, TIMEOUT, Watched.START))
        .isEmpty();
  }

  /** Fails when the report of one array element counts for the others. */
  @Test
  void reportForAnArrayStopsNoElement() {
    Watched element = Watched.running(spec(1).array("0-1")).ordered(StopCause.PREEMPTION);
    assertThat(
            OwnerTransitions.checkpoint(
                element.job(), List.of(element.attempt()), Watched.START, "ana"))
        .isEmpty();
  }
}
