package dev.fairlead.work.placement.service;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.DecisionRecord.Placed;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.JobSpec.OnDependencyFailure;
import dev.fairlead.work.world.PendingJob.FailedDependency;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlanApplierTest extends PlanApplierScene {

  /** Jobs with one that cannot be locked. */
  private JobStore withPoison(Job poison, Throwable failure) {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (self, method, arguments) -> {
              if (method.getName().equals("lock")
                  && ((Collection<?>) arguments[0]).contains(poison.id())) {
                throw failure;
              }
              return method.invoke(stores.jobs(), arguments);
            });
  }

  /** Fails when one failed write ends the plan: later decisions were not written. */
  @ParameterizedTest
  @MethodSource("failures")
  void unwritableDecisionDoesNotBlockTheOnesBehindIt(Throwable failure) {
    Attempt first = world.run(world.place(world.submit(Specs.job("low-1").gpus(4)), 0, "node-1"));
    Attempt second = world.run(world.place(world.submit(Specs.job("low-2").gpus(4)), 0, "node-2"));
    Job poison = world.submit(Specs.job("poison").gpus(4));
    Job needs = world.submit(Specs.job("high").gpus(4));
    Job late = world.submit(Specs.job("late").deadline(world.now().minusSeconds(1)));
    Plan plan =
        plan(
            on("node-1", poison),
            takes(poison, first),
            takes(needs, second),
            new Decision.Grow(poison.id(), poison.version(), first.id(), List.of()),
            new Decision.Expire(poison.id(), poison.version(), null),
            new Decision.Expire(late.id(), late.version(), null));

    Applied applied = applier(withPoison(poison, failure)).apply(lease, plan, List.of());

    assertThat(applied.failures()).hasSize(4).allMatch(f -> f.decision().job().equals(poison.id()));
    assertThat(world.attempt(first).state()).isEqualTo(AttemptState.RUNNING);
    assertThat(world.attempt(second).state()).isEqualTo(AttemptState.STOPPING);
    assertThat(world.job(late).state()).isEqualTo(JobState.FAILED);
    assertThat(metrics.counter("fairlead.plan.failed", "decision", "preempt").count()).isOne();
    assertThatCode(applied::failWhenNothingWasWritten).doesNotThrowAnyException();
  }

  /** Fails when a plan without any successful write counts as a successful pass. */
  @Test
  void passFailsIfEveryWriteFails() {
    Job poison = world.submit(Specs.job("poison").gpus(8));

    Applied applied =
        applier(withPoison(poison, new IllegalStateException("broken")))
            .apply(lease, plan(on("node-1", poison)), List.of());

    assertThatThrownBy(applied::failWhenNothingWasWritten).hasRootCauseMessage("broken");
  }

  @Test
  void placementBecomesAnAttemptWithItsAllocation() {
    Job job = world.submit(Specs.job("a").gpus(8));
    assertThat(apply(on("node-1", job))).isZero();
    assertThat(world.job(job).state()).isEqualTo(JobState.ADMITTED);
    assertThat(world.node("node-1").gpus()).allMatch(g -> g.allocatedMilli() == 1000);
  }

  /** Fails when the deadline is not judged again on the locked row. */
  @Test
  void onlyAJobThatCanNoLongerEndInTimeFails() {
    Job late = world.submit(Specs.job("late").deadline(world.now().minusSeconds(1)));
    Job fine = world.submit(Specs.job("fine").deadline(world.now().plusSeconds(600)));
    assertThat(
            apply(
                new Decision.Expire(late.id(), late.version(), null),
                new Decision.Expire(fine.id(), fine.version(), null)))
        .isEqualTo(1);
    assertThat(world.job(late).state()).isEqualTo(JobState.FAILED);
    assertThat(world.job(late).run().failure().cause()).isEqualTo(FailureCause.DEADLINE_EXCEEDED);
    assertThat(world.job(late).run().failures()).as("no attempt failed").isZero();
    assertThat(world.job(fine).state()).isEqualTo(JobState.QUEUED);
  }

  /** Fails when the policy of a job is not read again from its locked row. */
  @Test
  void jobWithAFailedDependencyFailsUnlessItsPolicyIsToWait() {
    Job fails = world.submit(Specs.job("fails"));
    Job waits = world.submit(Specs.job("waits").onDependencyFailure(OnDependencyFailure.WAIT));
    FailedDependency why = new FailedDependency("prepare", JobState.FAILED);
    assertThat(
            apply(
                new Decision.Expire(fails.id(), fails.version(), why),
                new Decision.Expire(waits.id(), waits.version(), why)))
        .isEqualTo(1);
    assertThat(world.job(fails).state()).isEqualTo(JobState.FAILED);
    assertThat(world.job(fails).run().failure().cause()).isEqualTo(FailureCause.DEPENDENCY_FAILED);
    assertThat(world.job(fails).run().failure().message())
        .satisfies(reason("plan-applier.depends-job-prepare-ended", "prepare", "FAILED"));
    assertThat(world.job(waits).state()).isEqualTo(JobState.QUEUED);
  }

  /** Fails when a job that is not needed counts as failed, or leaves elements that wait. */
  @Test
  void failureHandlerWithoutAFailureIsCancelledWithItsCause() {
    Job one = world.submit(Specs.job("one"));
    Job array = world.submit(Specs.job("array").array("0-3"));
    Job held = world.submit(Specs.job("held"));
    FailedDependency why = new FailedDependency("prepare", JobState.SUCCEEDED, true);
    OwnerTransitions.suspend(held, List.of(), world.now(), "ana")
        .orElseThrow()
        .forEach(world::append);
    assertThat(
            apply(
                new Decision.Expire(one.id(), one.version(), why),
                new Decision.Expire(array.id(), array.version(), why),
                new Decision.Expire(held.id(), world.job(held).version(), why)))
        .isEqualTo(1);
    for (Job job : List.of(one, array)) {
      assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLED);
      assertThat(world.job(job).run().failure().cause()).isEqualTo(FailureCause.SKIPPED);
      assertThat(world.job(job).run().failure().message())
          .satisfies(reason("plan-applier.needed-because-job-prepare", "prepare", "SUCCEEDED"));
    }
    assertThat(world.job(array).array().cancelled()).isEqualTo(4);
    assertThat(world.job(held).state()).isEqualTo(JobState.SUSPENDED);
  }

  /** The waiting elements of an array fail and the live ones continue. */
  @Test
  void waitingElementsOfAnArrayFailAtItsDeadline() {
    Job array =
        world.submit(Specs.job("sweep").array("0-4%1").deadline(world.now().minusSeconds(1)));
    Attempt first = world.run(world.place(array, 0, "node-1"));
    assertThat(apply(new Decision.Expire(array.id(), world.job(array).version(), null))).isZero();
    assertThat(world.job(array).state()).isEqualTo(JobState.RUNNING);
    assertThat(world.job(array).array().failed()).isEqualTo(4);

    world.succeed(first);

    assertThat(world.job(array).state()).isEqualTo(JobState.FAILED);
    assertThat(world.job(array).array().succeeded()).isEqualTo(1);
  }

  /** Fails when each element that a window ends waits for a separate plan. */
  @Test
  void allElementsEndedByAWindowAreStoppedByOnePlan() {
    Job array = world.submit(Specs.job("sweep").array("0-1").gpus(4));
    Attempt first = world.run(world.place(array, 0, "node-1"));
    Attempt second = world.run(world.place(array, 1, "node-2"));
    long version = world.job(array).version();

    int dropped =
        apply(
            new Decision.Leftover(array.id(), version, first.id()),
            new Decision.Leftover(array.id(), version, second.id()));

    assertThat(dropped).isZero();
    assertThat(stores.jobs().attempts(List.of(first.id(), second.id())))
        .extracting(Attempt::state)
        .containsOnly(AttemptState.STOPPING);
    assertThat(apply(new Decision.Leftover(array.id(), version, first.id())))
        .as("what ends already")
        .isEqualTo(1);
  }

  /** Fails when all elements of an array on a cluster are reported with the tier of the first. */
  @Test
  void elementsOfTwoTiersAreRecordedByTheirTiers() {
    Job array = world.submit(Specs.job("sweep").array("0-1").gpus(8));
    UsedTier reserved = new UsedTier(1, UsedTier.Cause.POLICY, Duration.ZERO);
    UsedTier spot = new UsedTier(2, UsedTier.Cause.NO_ROOM, Duration.ZERO);

    apply(element(array, 0, "node-1", reserved), element(array, 1, "node-2", spot));

    assertThat(stores.explanations().decisions(array.tenant(), array.id()))
        .extracting(record -> (Placed) record.body())
        .extracting(Placed::element, Placed::elements, Placed::tier)
        .containsExactlyInAnyOrder(tuple(0, 1, reserved), tuple(1, 1, spot));
  }

  private Decision.Place element(Job array, int element, String node, UsedTier tier) {
    Decision.Place place = on(node, array);
    return new Decision.Place(
        place.job(),
        place.jobVersion(),
        element,
        place.cluster(),
        place.members(),
        List.of(),
        List.of(),
        tier);
  }

  /** Fails when the version is not compared on the locked row. */
  @Test
  void jobChangedSinceThePlanIsDropped() {
    Job job = world.submit(Specs.job("a"));
    Decision.Place planned = on("node-1", job);
    Job cancelled = job.next(job.run(), null);
    world.append(
        new dev.fairlead.work.job.Transition(
            cancelled,
            List.of(),
            null,
            dev.fairlead.work.job.Transition.AllocationChange.KEEP,
            List.of(),
            "test"));
    assertThat(apply(planned)).isEqualTo(1);
    assertThat(world.job(job).state()).isEqualTo(JobState.QUEUED);
    assertThat(metrics.counter("fairlead.plan.dropped", "guard", "VERSION").count()).isEqualTo(1);
  }

  @Test
  void staleDecisionDoesNotFailItsBatch() {
    Job first = world.submit(Specs.job("first").gpus(8));
    Job second = world.submit(Specs.job("second").gpus(8));
    Job third = world.submit(Specs.job("third").gpus(8));
    assertThat(apply(on("node-1", first), on("node-1", second), on("node-2", third))).isEqualTo(1);
    assertThat(world.job(first).state()).isEqualTo(JobState.ADMITTED);
    assertThat(world.job(second).state()).isEqualTo(JobState.QUEUED);
    assertThat(world.job(third).state()).isEqualTo(JobState.ADMITTED);
  }

  /** Fails when the plan is applied outside the fence. */
  @Test
  void aDeposedSchedulerWritesNothing() {
    Job job = world.submit(Specs.job("a"));
    stores.leases().takeOver(stores.leases().read("scheduler").orElseThrow(), "other");
    assertThatThrownBy(() -> apply(on("node-1", job))).isInstanceOf(FenceLost.class);
    assertThat(world.job(job).state()).isEqualTo(JobState.QUEUED);
  }
}
