package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArrayTransitionsTest {
  private final TestWorld world = TestWorld.in(MemoryStores.empty(7));

  @Test
  void countsMatchTheElements() {
    Job job = world.submit(Specs.job("array").array("0-4%3"));
    assertThat(world.job(job).array()).isEqualTo(counts(0, 0, 0, 0, 0, 0));

    Attempt first = world.place(job, 0, "node-1");
    assertThat(world.job(job).array()).isEqualTo(counts(1, 1, 0, 0, 0, 0));
    world.run(first);
    assertThat(world.job(job).array()).isEqualTo(counts(1, 1, 1, 0, 0, 0));
    world.succeed(first);
    assertThat(world.job(job).array()).isEqualTo(counts(1, 0, 0, 1, 0, 0));
    world.fail(world.run(world.place(job, 1, "node-1")), FailureCause.USER_ERROR);
    assertThat(world.job(job).array()).isEqualTo(counts(2, 0, 0, 1, 1, 0));
    assertThat(world.job(job).array().queued()).isEqualTo(3);
  }

  /**
   * Seed 21872 of the simulation: the array ended while an element that had expired before ran.
   * Fails when an admission does not check for waiting elements.
   */
  @Test
  void expiredJobDoesNotStartAfterTheClockIsSetBack() {
    Job job = world.submit(Specs.job("array").array("0-2").deadline(world.now().plusSeconds(60)));
    Attempt first = world.run(world.place(job, 0, "node-1"));
    Job late =
        JobTransitions.expire(world.job(job), true, world.now().plusSeconds(61), "test")
            .orElseThrow()
            .job();

    Attempt second = world.attempt(late, 1, first.members());

    assertThat(JobTransitions.admit(late, null, second, world.now(), "test")).isEmpty();
  }

  /** Fails when elements that ended without an attempt are not counted, or hide a real failure. */
  @Test
  void elementsEndByTheirOwnDependenciesAndKeepTheFailureOfTheArray() {
    Job job = world.submit(Specs.job("array").array("0-4%3"));
    world.fail(world.run(world.place(job, 0, "node-1")), FailureCause.USER_ERROR);

    Transition skipped =
        JobTransitions.elementsFailed(
                world.job(job), FailureCause.SKIPPED, "why", List.of(1, 3), world.now(), "test")
            .orElseThrow();
    world.append(skipped);
    assertThat(skipped.elements()).extracting(JobElement::index).containsExactly(1, 3);
    assertThat(world.job(job).array()).isEqualTo(counts(3, 0, 0, 0, 1, 2));
    assertThat(world.job(job).state()).isEqualTo(JobState.RUNNING);
    assertThat(world.job(job).run().failure().cause()).isEqualTo(FailureCause.USER_ERROR);

    world.append(
        JobTransitions.elementsFailed(
                world.job(job),
                FailureCause.DEPENDENCY_FAILED,
                "why",
                List.of(2, 4),
                world.now(),
                "test")
            .orElseThrow());
    assertThat(world.job(job).state()).isEqualTo(JobState.FAILED);
    assertThat(world.element(job, 4).run().failure().cause())
        .isEqualTo(FailureCause.DEPENDENCY_FAILED);
    assertThat(
            JobTransitions.elementsFailed(
                world.job(job), FailureCause.SKIPPED, "why", List.of(2), world.now(), "test"))
        .isEmpty();
  }

  /** Fails when a retry of the pipeline omits a cancelled array as unneeded. */
  @Test
  void cancelledArrayDoesNotShowThatSomeElementsWereNotNeeded() {
    Job job = world.submit(Specs.job("array").array("0-2"));
    world.append(
        JobTransitions.elementsFailed(
                world.job(job), FailureCause.SKIPPED, "why", List.of(1), world.now(), "test")
            .orElseThrow());
    assertThat(world.job(job).run().failure().cause()).isEqualTo(FailureCause.SKIPPED);

    world.cancel(job);

    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLED);
    assertThat(world.job(job).run().failure()).isNull();
  }

  @Test
  void arrayRunsFromItsFirstRunningElement() {
    Job job = world.submit(Specs.job("array").array("0-1%1"));
    Attempt first = world.place(job, 0, "node-1");
    assertThat(world.job(job).state()).isEqualTo(JobState.QUEUED);

    world.run(first);
    assertThat(world.job(job).state()).isEqualTo(JobState.RUNNING);
    world.succeed(first);
    assertThat(world.job(job).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void arraySucceedsWhenAllItsElementsDid() {
    Job job = world.submit(Specs.job("array").array("0-1"));
    world.succeed(world.run(world.place(job, 0, "node-1")));
    world.succeed(world.run(world.place(job, 1, "node-1")));

    assertThat(world.job(job).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(world.job(job).run().endedAt()).isNotNull();
  }

  /**
   * Fails when a cancel that was too late for every element still determines the end of the array.
   */
  @Test
  void arraySucceedsIfAllElementsFinishedBeforeTheCancelReachedThem() {
    Job job = world.submit(Specs.job("array").array("0-1"));
    Attempt first = world.run(world.place(job, 0, "node-1"));
    Attempt second = world.run(world.place(job, 1, "node-1"));
    world.append(JobTransitions.cancel(world.job(job), true, world.now(), "ana").orElseThrow());

    world.succeed(first);
    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLING);
    world.succeed(second);

    assertThat(world.job(job).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(world.job(job).array()).isEqualTo(new ArrayProgress(2, 2, 2, 0, 0, 2, 0, 0));
  }

  @Test
  void arrayFailsWhenAllHaveEndedAndOneFailed() {
    Job job = world.submit(Specs.job("array").array("0-1"));
    world.fail(world.run(world.place(job, 0, "node-1")), FailureCause.USER_ERROR);
    assertThat(world.job(job).state()).isEqualTo(JobState.RUNNING);

    world.succeed(world.run(world.place(job, 1, "node-1")));

    assertThat(world.job(job).state()).isEqualTo(JobState.FAILED);
    assertThat(world.job(job).run().failure().cause()).isEqualTo(FailureCause.USER_ERROR);
  }

  /** Fails when a failed array reports the retry cause of an element that succeeded later. */
  @Test
  void arrayFailsWithThePermanentFailureOfAnElement() {
    Job job = world.submit(Specs.job("array").array("0-1").retry(2, FailureCause.NODE_FAILURE));
    world.fail(world.run(world.place(job, 0, "node-1")), FailureCause.USER_ERROR);
    world.fail(world.run(world.place(job, 1, "node-1")), FailureCause.NODE_FAILURE);
    world.succeed(world.run(world.place(job, 1, "node-1")));

    assertThat(world.job(job).state()).isEqualTo(JobState.FAILED);
    assertThat(world.job(job).run().failure().cause()).isEqualTo(FailureCause.USER_ERROR);
  }

  @Test
  void arrayWhoseElementsAllSucceededEventuallyHasNoFailure() {
    Job job = world.submit(Specs.job("array").array("0-1").retry(2, FailureCause.NODE_FAILURE));
    world.fail(world.run(world.place(job, 1, "node-1")), FailureCause.NODE_FAILURE);
    assertThat(world.job(job).run().failure().cause()).isEqualTo(FailureCause.NODE_FAILURE);
    world.succeed(world.run(world.place(job, 0, "node-1")));
    world.succeed(world.run(world.place(job, 1, "node-1")));

    assertThat(world.job(job).state()).isEqualTo(JobState.SUCCEEDED);
    assertThat(world.job(job).run().failure()).isNull();
  }

  @Test
  void elementIsRetriedOnItsOwnBudget() {
    Job job = world.submit(Specs.job("array").array("0-1").retry(2, FailureCause.NODE_FAILURE));
    world.fail(world.run(world.place(job, 0, "node-1")), FailureCause.NODE_FAILURE);

    assertThat(world.element(job, 0).run().state()).isEqualTo(JobState.QUEUED);
    assertThat(world.element(job, 0).run().retryAt()).isNotNull();
    assertThat(world.job(job).array()).isEqualTo(new ArrayProgress(2, 2, 1, 0, 0, 0, 0, 0));

    Attempt second = world.place(job, 0, "node-1");
    assertThat(second.number()).isEqualTo(2);
    world.fail(world.run(second), FailureCause.NODE_FAILURE);
    assertThat(world.element(job, 0).run().state()).isEqualTo(JobState.FAILED);
  }

  @Test
  void factsDistinguishElementsFromTheirJob() {
    // A reader that waits for JobSucceeded must not mistake an element's end for the job's.
    Job job = world.submit(Specs.job("array").array("0-1"));
    Attempt first = world.run(world.place(job, 0, "node-1"));
    Failure none = Failure.of(FailureCause.PLATFORM, "none", 1);
    AttemptEvent.Ended good = new AttemptEvent.Ended(AttemptState.SUCCEEDED, none);

    assertThat(world.move(first, good).facts())
        .extracting(Fact::type)
        .containsExactly("AttemptSucceeded", "ElementSucceeded");
    world.succeed(first);
    Attempt last = world.run(world.place(job, 1, "node-1"));
    assertThat(world.move(last, good).facts())
        .contains(Fact.of("ElementSucceeded").with("element", 1), Fact.of("JobSucceeded"));
  }

  @Test
  void idleArrayIsCancelledImmediately() {
    Job job = world.submit(Specs.job("array").array("0-4%2"));
    world.succeed(world.run(world.place(job, 0, "node-1")));

    world.cancel(job);

    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLED);
    assertThat(world.job(job).array()).isEqualTo(new ArrayProgress(5, 2, 1, 0, 0, 1, 0, 4));
  }

  @Test
  void partlyRunArrayIsCancelledOnceItsLiveElementsHaveEnded() {
    Job job = world.submit(Specs.job("array").array("0-4%2"));
    world.succeed(world.run(world.place(job, 0, "node-1")));
    Attempt live = world.run(world.place(job, 1, "node-1"));

    world.cancel(job);
    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLING);
    assertThat(world.job(job).array()).isEqualTo(new ArrayProgress(5, 2, 2, 1, 1, 1, 0, 3));
    AttemptEvent.Stop stop =
        JobTransitions.stop(
            live, StopCause.CANCEL, Specs.job("train").build(), "cancelled", world.now());
    world.apply(live, stop, new AttemptEvent.Ended(AttemptState.CANCELLED, stop.failure()));

    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLED);
    assertThat(world.job(job).array()).isEqualTo(new ArrayProgress(5, 2, 2, 0, 0, 1, 0, 4));
  }

  @Test
  void elementsOfACancelledArrayAreNotRetried() {
    // Without this the element would wait in a job that no longer offers elements, and the job
    // would never end.
    Job job = world.submit(Specs.job("array").array("0-1"));
    Attempt lost = world.run(world.place(job, 0, "node-1"));
    Attempt preempted = world.run(world.place(job, 1, "node-1"));
    AttemptEvent.Stop stop =
        JobTransitions.stop(
            preempted,
            StopCause.PREEMPTION,
            Specs.job("train").build(),
            "for another",
            world.now());
    world.apply(preempted, stop);
    world.cancel(job);

    world.fail(lost, FailureCause.NODE_FAILURE);
    world.apply(preempted, new AttemptEvent.Ended(AttemptState.PREEMPTED, stop.failure()));

    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLED);
    assertThat(world.element(job, 0).run().state()).isEqualTo(JobState.CANCELLED);
    assertThat(world.element(job, 1).run().state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void elementThatFailsInACancelledArrayCountsAsCancelled() {
    Job job = world.submit(Specs.job("array").array("0-2"));
    Attempt live = world.run(world.place(job, 0, "node-1"));
    world.cancel(job);

    world.fail(live, FailureCause.USER_ERROR);

    assertThat(world.job(job).array()).isEqualTo(new ArrayProgress(3, 3, 1, 0, 0, 0, 0, 3));
    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void requeuedArrayStopsRunningElementsAndRetainsTheirRetries() {
    Job job = world.submit(Specs.job("array").array("0-2"));
    world.succeed(world.run(world.place(job, 0, "node-1")));
    Attempt running = world.run(world.place(job, 1, "node-1"));

    world.append(
        OwnerTransitions.requeue(
                world.job(job), List.of(), List.of(running), world.now(), TestWorld.ACTOR)
            .orElseThrow()
            .toArray(Transition[]::new));
    assertThat(world.job(job).state()).isEqualTo(JobState.RUNNING);
    assertThat(world.attempt(running).state()).isEqualTo(AttemptState.STOPPING);
    assertThat(world.attempt(running).failure().cause()).isEqualTo(FailureCause.STOPPED);
    world.apply(
        running,
        new AttemptEvent.Ended(
            AttemptState.CANCELLED, Failure.of(FailureCause.STOPPED, "stopped", 1)));

    assertThat(world.element(job, 1).run().state()).isEqualTo(JobState.QUEUED);
    assertThat(world.element(job, 1).run().failures()).isZero();
    assertThat(world.job(job).array().succeeded()).isEqualTo(1);
    assertThat(world.job(job).array().queued()).isEqualTo(2);
  }

  private static ArrayProgress counts(
      int started, int live, int running, int succeeded, int failed, int cancelled) {
    return new ArrayProgress(5, 3, started, live, running, succeeded, failed, cancelled);
  }
}
