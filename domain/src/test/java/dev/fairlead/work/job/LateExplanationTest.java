package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.spec.RetryPolicy;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The effect of a late report on the retries of a job. */
class LateExplanationTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);

  private Job job(Specs spec) {
    return world.submit(spec);
  }

  private Attempt started(Job job) {
    stores.advance(Duration.ofMinutes(1));
    return world.run(world.place(job, 0, "node-1"));
  }

  private Attempt fails(Job job) {
    return world.fail(started(job), FailureCause.USER_ERROR);
  }

  private void report(Job job, Attempt ended) {
    Failure sick =
        Failure.ofIncident("XID 79", ended.number(), "worker-0", "node-1", null, "inc_1");
    JobElement element = job.array() == null ? null : world.element(job, ended.element());
    world.append(
        LateExplanation.of(world.job(job), element, world.attempt(ended), sick, world.now(), "test")
            .orElseThrow());
  }

  private JobStatus run(Job job) {
    return world.job(job).run();
  }

  /** Fails when a job that breaks each node continues forever because each report is late. */
  @Test
  void twentyConsecutiveFaultsAreTheLimitDespiteLateReports() {
    Job job = job(Specs.job("breaks").retry(3, FailureCause.USER_ERROR));
    int ends = 0;
    while (run(job).state() == JobState.QUEUED && ends < 25) {
      Attempt ended = fails(job);
      ends++;
      if (run(job).state() == JobState.FAILED) {
        assertThat(run(job).failure().message()).contains("20 faults in a row");
      }
      report(job, ended);
    }
    assertThat(ends).isEqualTo(Retry.MOST_FAULTS + 1);
    assertThat(run(job).state()).isEqualTo(JobState.FAILED);
    assertThat(run(job).failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(run(job).failure().message()).startsWith("XID 79; 21 faults in a row");
  }

  /** Fails when ends that are not the job's fault, such as preemptions, end the job. */
  @Test
  void onlyAFailureEndsTheJobAfterTwentyFaults() {
    JobStatus run = JobStatus.queued(world.now()).faults(Retry.MOST_FAULTS);
    RetryPolicy policy = new RetryPolicy(3, List.of(FailureCause.USER_ERROR));
    Failure failure = Failure.of(FailureCause.USER_ERROR, "exit code 1", 1);

    assertThat(Retry.after(policy, failure, AttemptState.FAILED, run, world.now()))
        .isInstanceOf(JobEvent.Failed.class);
    assertThat(Retry.after(policy, failure, AttemptState.EVICTED, run, world.now()))
        .isInstanceOf(JobEvent.Requeued.class);
    assertThat(Retry.after(policy, failure, AttemptState.FAILED, run.faults(19), world.now()))
        .isInstanceOf(JobEvent.Requeued.class);
  }

  /** Fails when a job regains a retry that another attempt spent. */
  @Test
  void endThatUsedNoRetryReturnsNone() {
    Job job = job(Specs.job("suspended").retry(4, FailureCause.USER_ERROR));
    fails(job);
    Attempt stopped = started(job);
    Failure failure = Failure.of(FailureCause.USER_ERROR, "exit code 1", 2);
    world.apply(stopped, new AttemptEvent.Stop(StopCause.MEMBER_FAILED, failure, world.now()));
    append(OwnerTransitions.suspend(world.job(job), List.of(), world.now(), "ana").orElseThrow());
    world.apply(stopped, new AttemptEvent.Ended(AttemptState.FAILED, failure));
    append(OwnerTransitions.resume(world.job(job), world.now(), "ana").orElseThrow());
    started(job);
    report(job, stopped);

    assertThat(run(job).failures()).isEqualTo(1);
    assertThat(run(job).faults()).isEqualTo(1);
    assertThat(world.attempt(stopped).failure().explained()).isTrue();
  }

  private void append(List<Transition> transitions) {
    world.append(transitions.toArray(Transition[]::new));
  }

  /** Fails when only the last of the attempts that failed on one GPU regains its retry. */
  @Test
  void reportReturnsTheRetriesOfAllExplainedAttempts() {
    Job job = job(Specs.job("twice").retry(4, FailureCause.USER_ERROR));
    Attempt first = fails(job);
    Attempt second = fails(job);
    report(job, first);
    assertThat(run(job).failure().cause()).as("of the second").isEqualTo(FailureCause.USER_ERROR);
    report(job, second);

    assertThat(run(job).failures()).isZero();
    assertThat(run(job).faults()).isEqualTo(2);
    assertThat(run(job).failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(run(job).failure().attempt()).isEqualTo(2);
  }

  /** Fails when a job that failed for its deadline reports a GPU as the cause. */
  @Test
  void expiredWaitingJobRetainsItsCause() {
    Job job =
        job(
            Specs.job("late")
                .retry(4, FailureCause.USER_ERROR)
                .deadline(world.now().plus(Duration.ofHours(1))));
    Attempt ended = fails(job);
    stores.advance(Duration.ofHours(2));
    world.append(JobTransitions.expire(world.job(job), false, world.now(), "test").orElseThrow());
    report(job, ended);

    assertThat(run(job).failure().cause()).isEqualTo(FailureCause.DEADLINE_EXCEEDED);
    assertThat(world.attempt(ended).failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
  }

  /** Fails when an array forgets why an element of it failed once the element runs again. */
  @Test
  void arrayNamesTheFaultWhileItsElementRunsAgain() {
    Job array = job(Specs.job("array").array("0-1").retry(4, FailureCause.USER_ERROR));
    Attempt ended = world.fail(world.run(world.place(array, 1, "node-1")), FailureCause.USER_ERROR);
    world.run(world.place(array, 1, "node-2"));
    report(array, ended);

    assertThat(run(array).failure().cause()).isEqualTo(FailureCause.GPU_FAULT);
    assertThat(world.element(array, 1).run().failures()).isZero();
  }
}
