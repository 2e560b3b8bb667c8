package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.Transition.AllocationChange;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobTransitionsTest {
  private final TestWorld world = TestWorld.in(MemoryStores.empty(7));

  @Test
  void submissionIsTheFirstVersionAndAllocatesNothing() {
    Transition submitted =
        JobTransitions.submit(world.newJob(Specs.job("train").workers(4).build()));

    assertThat(submitted.job().version()).isEqualTo(1);
    assertThat(submitted.holding()).isEqualTo(AllocationChange.KEEP);
    assertThat(submitted.facts())
        .containsExactly(Fact.of("JobSubmitted").with("name", "train").with("members", 4));
  }

  @Test
  void admissionAllocatesAndCountsTheAttempt() {
    Job job = world.submit(Specs.job("train"));
    Attempt attempt = world.attempt(job, 0, List.of());

    Transition admitted = world.admission(attempt);

    assertThat(admitted.holding()).isEqualTo(AllocationChange.TAKE);
    assertThat(admitted.job().state()).isEqualTo(JobState.ADMITTED);
    assertThat(admitted.job().run().attempts()).isEqualTo(1);
    assertThat(admitted.job().version()).isEqualTo(job.version() + 1);
  }

  @Test
  void jobThatIsNotWaitingIsNotAdmitted() {
    Job job = world.submit(Specs.job("train"));
    world.cancel(job);
    Attempt attempt = world.attempt(job, 0, List.of());

    assertThat(JobTransitions.admit(world.job(job), null, attempt, world.now(), "test")).isEmpty();
  }

  @Test
  void stateOfTheJobFollowsItsAttempt() {
    Job job = world.submit(Specs.job("train"));
    Attempt attempt = world.place(job);
    assertThat(world.job(job).state()).isEqualTo(JobState.ADMITTED);

    world.apply(attempt, new AttemptEvent.Launch());
    assertThat(world.job(job).state()).isEqualTo(JobState.STARTING);
    world.apply(attempt, new AttemptEvent.Progress(false));
    assertThat(world.job(job).state()).isEqualTo(JobState.STARTING);
    world.apply(attempt, new AttemptEvent.Progress(true));
    assertThat(world.job(job).state()).isEqualTo(JobState.RUNNING);
    world.succeed(attempt);
    assertThat(world.job(job).state()).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void unknownAttemptLeavesItsJobUnchanged() {
    Job job = world.submit(Specs.job("train"));
    Attempt attempt = world.run(world.place(job));

    Transition unreachable = world.move(attempt, new AttemptEvent.Unreachable());

    assertThat(unreachable.job().state()).isEqualTo(JobState.RUNNING);
    assertThat(unreachable.holding()).isEqualTo(AllocationChange.KEEP);
    assertThat(unreachable.facts()).extracting(Fact::type).containsExactly("AttemptUnknown");
  }

  @Test
  void onlyTheEndOfAnAttemptReleasesItsAllocation() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("train"))));
    Failure failure = Failure.of(FailureCause.USER_ERROR, "exit 1", 1);

    assertThat(world.move(attempt, stop(attempt)).holding()).isEqualTo(AllocationChange.KEEP);
    assertThat(world.move(attempt, new AttemptEvent.Ended(AttemptState.FAILED, failure)).holding())
        .isEqualTo(AllocationChange.RELEASE);
  }

  @Test
  void changedMembersWriteANewVersionWithTheirEvents() {
    Job job = world.submit(Specs.job("train"));
    Attempt attempt = world.run(world.place(job));
    List<Fact> members = List.of(Fact.of("MemberRunning").with("member", "worker-0"));

    Transition seen =
        JobTransitions.observe(world.job(job), null, attempt, null, members, world.now(), "test");

    assertThat(seen.job().state()).isEqualTo(JobState.RUNNING);
    assertThat(seen.job().version()).isEqualTo(world.job(job).version() + 1);
    assertThat(seen.facts()).isEqualTo(members);
  }

  @Test
  void aUserErrorIsFinal() {
    Job job = world.submit(Specs.job("train"));

    world.fail(world.run(world.place(job)), FailureCause.USER_ERROR);

    assertThat(world.job(job).state()).isEqualTo(JobState.FAILED);
    assertThat(world.job(job).run().failure().cause()).isEqualTo(FailureCause.USER_ERROR);
  }

  @Test
  void aLostNodeIsRetriedUntilTheBudgetIsSpent() {
    Job job = world.submit(Specs.job("train"));
    for (int failures = 1; failures <= 2; failures++) {
      world.fail(world.run(world.place(job)), FailureCause.NODE_FAILURE);
      assertThat(world.job(job).state()).isEqualTo(JobState.QUEUED);
      assertThat(world.job(job).run().failures()).isEqualTo(failures);
      assertThat(world.job(job).run().retryAt()).isEqualTo(world.now().plusSeconds(10L * failures));
    }

    world.fail(world.run(world.place(job)), FailureCause.NODE_FAILURE);

    assertThat(world.job(job).state()).isEqualTo(JobState.FAILED);
    assertThat(world.job(job).run().attempts()).isEqualTo(3);
  }

  @Test
  void preemptionSpendsNoRetryAndHasNoBackOff() {
    Job job = world.submit(Specs.job("train").retry(1));
    Attempt attempt = world.run(world.place(job));
    AttemptEvent.Stop stop =
        JobTransitions.stop(
            attempt, StopCause.PREEMPTION, Specs.job("train").build(), "for another", world.now());

    world.apply(attempt, stop, new AttemptEvent.Ended(AttemptState.PREEMPTED, stop.failure()));

    assertThat(world.job(job).state()).isEqualTo(JobState.QUEUED);
    assertThat(world.job(job).run().failures()).isZero();
    assertThat(world.job(job).run().retryAt()).isNull();
  }

  @Test
  void rejectedPlacementIsReplannedWithoutSpendingARetry() {
    Job job = world.submit(Specs.job("train").retry(1));

    world.fail(world.run(world.place(job)), FailureCause.PLACEMENT_CONFLICT);

    assertThat(world.job(job).state()).isEqualTo(JobState.QUEUED);
    assertThat(world.job(job).run().failures()).isZero();
    assertThat(world.job(job).run().retryAt()).isAfter(world.now());
  }

  @Test
  void waitingJobIsCancelledImmediately() {
    Job job = world.submit(Specs.job("train"));

    world.cancel(job);

    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLED);
    assertThat(world.job(job).run().endedAt()).isNotNull();
  }

  @Test
  void aRunningJobIsCancelledWhenItsAttemptIsDead() {
    Job job = world.submit(Specs.job("train"));
    Attempt attempt = world.run(world.place(job));

    world.cancel(job);
    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLING);
    AttemptEvent.Stop stop = stop(attempt);
    world.apply(attempt, stop, new AttemptEvent.Ended(AttemptState.CANCELLED, stop.failure()));

    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void aCancelledJobNeverRunsAgain() {
    Job job = world.submit(Specs.job("train"));
    Attempt attempt = world.run(world.place(job));
    world.cancel(job);

    // regardless of other causes of the end, and of their retries
    world.fail(attempt, FailureCause.NODE_FAILURE);

    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void repeatedOrLateCancelChangesNothing() {
    Job job = world.submit(Specs.job("train"));
    world.run(world.place(job));
    world.cancel(job);
    assertThat(JobTransitions.cancel(world.job(job), true, world.now(), "again")).isEmpty();

    Job done = world.submit(Specs.job("done"));
    world.succeed(world.run(world.place(done)));
    assertThat(JobTransitions.cancel(world.job(done), false, world.now(), "late")).isEmpty();
  }

  @Test
  void retirementRetainsStateAndAllocation() {
    Job job = world.submit(Specs.job("train"));
    Attempt ended = world.succeed(world.run(world.place(job)));

    Transition retired = JobTransitions.retire(world.job(job), ended, world.now(), "test");

    assertThat(retired.job().state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(retired.holding()).isEqualTo(AllocationChange.KEEP);
    assertThat(retired.attempt().retiredAt()).isEqualTo(world.now());
  }

  private AttemptEvent.Stop stop(Attempt attempt) {
    return JobTransitions.stop(
        attempt,
        StopCause.CANCEL,
        Specs.job("train").build(),
        "cancelled by its owner",
        world.now());
  }
}
