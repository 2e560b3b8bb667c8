package dev.fairlead.work.world;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency.Condition;
import dev.fairlead.work.world.PendingJob.Offer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs, elements of arrays and dependents that a {@link WorldReader} offers to the scheduler. */
public abstract class PendingJobsContract {

  Stores stores;
  TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  /** As decisions see it. */
  static Job seen(Job job) {
    return job.seenAs(job.spec().decided());
  }

  Optional<PendingJob> pending(Job job) {
    return stores.world().read().pending().stream()
        .filter(p -> p.job().id().equals(job.id()))
        .findFirst();
  }

  @Test
  void aQueuedJobIsOfferedOnce() {
    Job job = world.submit(Specs.job("waits"));

    assertThat(pending(job))
        .contains(new PendingJob(seen(job), List.of(new Offer(0, 0, null)), List.of(), null));
  }

  @Test
  void hypotheticalJobIsOfferedAndNotStored() {
    Job like = world.submit(Specs.job("stored"));
    Job imagined = Imagined.like(like, stores.ids().next());

    World read = stores.world().readWith(List.of(imagined));

    assertThat(read.pending()).anyMatch(p -> p.job().equals(imagined));
    assertThat(read.pending()).anyMatch(p -> p.job().equals(seen(like)));
    assertThat(stores.world().read().pending()).noneMatch(p -> p.job().equals(imagined));
  }

  private static final class Imagined {
    static Job like(Job job, java.util.UUID id) {
      return job.with()
          .id(new dev.fairlead.kernel.identity.JobId(id))
          .name("imagined")
          .array(null)
          .version(1)
          .build();
    }
  }

  @Test
  void jobWithALiveAttemptIsLiveAndNotOffered() {
    Job job = world.submit(Specs.job("placed").gpus(1));
    Attempt attempt = world.place(job);

    assertThat(pending(job)).isEmpty();
    assertThat(stores.world().read().live())
        .contains(new World.LiveAttempt(attempt, seen(world.job(job))));
  }

  @Test
  void anEndedAttemptIsNotLive() {
    Attempt attempt = world.succeed(world.run(world.place(world.submit(Specs.job("done")))));

    assertThat(stores.world().read().live()).noneMatch(l -> l.attempt().id().equals(attempt.id()));
  }

  @Test
  void aQueuedJobWhoseOldAttemptStillLivesIsNotOffered() {
    // Fails when only the job's state is read: a resumed job would get a second attempt while the
    // first still stops.
    Job job = world.submit(Specs.job("resumed"));
    world.run(world.place(job));
    Job now = world.job(job);
    JobStatus queued =
        new JobStatus(
            JobState.QUEUED, world.now(), now.run().startedAt(), null, 1, 0, 0, null, null);
    world.append(
        new Transition(
            now.next(queued, null),
            List.of(),
            null,
            Transition.AllocationChange.KEEP,
            List.of(),
            "test"));

    assertThat(pending(job)).isEmpty();
  }

  @Test
  void retriedJobIsOfferedWithItsAttemptsAndBackOff() {
    Job job = world.submit(Specs.job("retried").retry(3, FailureCause.NODE_FAILURE));
    world.fail(world.run(world.place(job)), FailureCause.NODE_FAILURE);

    PendingJob offered = pending(job).orElseThrow();

    assertThat(offered.job().run().retryAt()).isNotNull();
    assertThat(offered.offers()).containsExactly(new Offer(0, 1, offered.job().run().retryAt()));
  }

  @Test
  void endedAndSuspendedJobsAreNotOffered() {
    Job cancelled = world.submit(Specs.job("cancelled"));
    world.cancel(cancelled);
    Job suspended = world.submit(Specs.job("suspended"));
    JobStatus held =
        new JobStatus(JobState.SUSPENDED, world.now(), null, null, 0, 0, 0, null, null);
    world.append(
        new Transition(
            suspended.next(held, null),
            List.of(),
            null,
            Transition.AllocationChange.KEEP,
            List.of(),
            "test"));

    assertThat(pending(cancelled)).isEmpty();
    assertThat(pending(suspended)).isEmpty();
  }

  @Test
  void arrayOffersElementsUpToItsRemainingLimit() {
    Job job = world.submit(Specs.job("array").array("0-9%3"));
    assertThat(indices(job)).containsExactly(0, 1, 2);

    world.run(world.place(job, 0, "node-1"));
    assertThat(indices(job)).containsExactly(1, 2);

    world.place(job, 1, "node-1");
    world.place(job, 2, "node-1");
    assertThat(pending(job)).isEmpty();
  }

  @Test
  void anEndedElementMakesRoomForTheNext() {
    Job job = world.submit(Specs.job("array").array("0-3%1"));

    world.succeed(world.run(world.place(job, 0, "node-1")));

    assertThat(indices(job)).containsExactly(1);
  }

  @Test
  void onlyExistingElementsAreOffered() {
    Job job = world.submit(Specs.job("array").array("0-2"));
    world.succeed(world.run(world.place(job, 0, "node-1")));

    assertThat(indices(job)).containsExactly(1, 2);
  }

  @Test
  void elementInBackOffDoesNotBlockTheSlotsOfOthers() {
    Job job = world.submit(Specs.job("array").array("0-3%2").retry(3, FailureCause.NODE_FAILURE));
    world.fail(world.run(world.place(job, 0, "node-1")), FailureCause.NODE_FAILURE);

    assertThat(indices(job)).containsExactly(1, 2);
  }

  @Test
  void elementAfterItsBackOffComesFirst() {
    Job job = world.submit(Specs.job("array").array("0-3%2").retry(3, FailureCause.NODE_FAILURE));
    world.fail(world.run(world.place(job, 0, "node-1")), FailureCause.NODE_FAILURE);
    stores.advance(Duration.ofMinutes(1));

    PendingJob offered = pending(job).orElseThrow();

    assertThat(offered.offers()).extracting(Offer::index).containsExactly(0, 1);
    assertThat(offered.offers().getFirst().attempts()).isEqualTo(1);
    assertThat(offered.offers().getFirst().retryAt()).isNotNull();
  }

  @Test
  void anElementWhoseOldAttemptStillLivesIsNotOffered() {
    Job job = world.submit(Specs.job("array").array("0-1%1"));
    world.apply(world.run(world.place(job, 0, "node-1")), new AttemptEvent.Unreachable());

    assertThat(pending(job)).isEmpty();
  }

  /**
   * Fails when an expired element is offered instead of the retried one, although its row still
   * waits, or does not exist.
   */
  @Test
  void anElementThatExpiredIsNotOffered() {
    Job job =
        world.submit(
            Specs.job("array")
                .array("0-3")
                .deadline(world.now().minusSeconds(1))
                .retry(3, FailureCause.NODE_FAILURE));
    world.fail(world.run(world.place(job, 0, "node-1")), FailureCause.NODE_FAILURE);
    Attempt runs = world.run(world.place(job, 2, "node-1"));
    world.append(
        JobTransitions.expire(world.job(job), true, world.now(), TestWorld.ACTOR).orElseThrow());
    assertThat(pending(job)).isEmpty();

    stores.advance(Duration.ofSeconds(1));
    world.fail(runs, FailureCause.NODE_FAILURE);

    assertThat(indices(job)).containsExactly(2);
  }

  @Test
  void aCancelledArrayIsNotOffered() {
    Job idle = world.submit(Specs.job("idle").array("0-3"));
    Job busy = world.submit(Specs.job("busy").array("0-3%1"));
    world.run(world.place(busy, 0, "node-1"));

    world.cancel(idle);
    world.cancel(busy);

    assertThat(pending(idle)).isEmpty();
    assertThat(pending(busy)).isEmpty();
  }

  @Test
  void dependencyIsUnmetUntilItsJobReachesTheState() {
    Job first = world.submit(Specs.job("first"));
    Job succeeded = world.submit(Specs.job("succeeded").dependsOn(first, Condition.SUCCEEDED));
    Job ended = world.submit(Specs.job("ended").dependsOn(first, Condition.ENDED));
    Job started = world.submit(Specs.job("started").dependsOn(first, Condition.STARTED));
    assertThat(unmet(succeeded)).containsExactly("first");
    assertThat(unmet(ended)).containsExactly("first");
    assertThat(unmet(started)).containsExactly("first");

    Attempt attempt = world.run(world.place(first));
    assertThat(unmet(started)).isEmpty();
    assertThat(unmet(ended)).containsExactly("first");

    world.succeed(attempt);
    assertThat(unmet(succeeded)).isEmpty();
    assertThat(unmet(ended)).isEmpty();
  }

  @Test
  void unsatisfiableDependencyIsDead() {
    Job first = world.submit(Specs.job("first"));
    Job succeeded = world.submit(Specs.job("succeeded").dependsOn(first, Condition.SUCCEEDED));
    Job ended = world.submit(Specs.job("ended").dependsOn(first, Condition.ENDED));
    Job started = world.submit(Specs.job("started").dependsOn(first, Condition.STARTED));

    world.cancel(first);

    PendingJob.FailedDependency dead = new PendingJob.FailedDependency("first", JobState.CANCELLED);
    assertThat(pending(succeeded).orElseThrow().deadDependency()).isEqualTo(dead);
    assertThat(pending(started).orElseThrow().deadDependency()).isEqualTo(dead);
    assertThat(pending(ended).orElseThrow().deadDependency()).isNull();
    assertThat(unmet(ended)).isEmpty();
  }

  /** Fails when a job for a failure starts after a success, or its dependents count as failed. */
  @Test
  void dependencyOnFailureIsSatisfiedOnlyByAFailure() {
    Job good = world.submit(Specs.job("good"));
    Job bad = world.submit(Specs.job("bad").retry(1));
    Job idle = world.submit(Specs.job("idle").dependsOn(good, Condition.FAILED));
    Job handler = world.submit(Specs.job("handler").dependsOn(bad, Condition.FAILED));
    Job behind = world.submit(Specs.job("behind").dependsOn(idle, Condition.SUCCEEDED));
    assertThat(unmet(handler)).containsExactly("bad");

    world.succeed(world.run(world.place(good)));
    world.fail(world.run(world.place(bad)), FailureCause.USER_ERROR);
    PendingJob.FailedDependency dead = pending(idle).orElseThrow().deadDependency();
    assertThat(dead).isEqualTo(new PendingJob.FailedDependency("good", JobState.SUCCEEDED, true));
    assertThat(unmet(handler)).isEmpty();
    assertThat(pending(handler).orElseThrow().deadDependency()).isNull();

    world.append(
        JobTransitions.dependencyFailed(
                world.job(idle), dead.cause(), dead.text(), false, world.now(), "test")
            .orElseThrow());
    PendingJob.FailedDependency skipped = pending(behind).orElseThrow().deadDependency();
    assertThat(skipped)
        .isEqualTo(new PendingJob.FailedDependency("idle", JobState.CANCELLED, true));
    assertThat(skipped.text())
        .satisfies(reason("world-reader.needed-because-job-idle", "idle", "CANCELLED"));
  }

  /** Fails when a job without the value that it references may be placed. */
  @Test
  void dependencyEndedWithoutAReferencedOutputIsDead() {
    Job first = world.submit(Specs.job("first").outputs("model", "rows"));
    Job reader =
        world.submit(
            Specs.job("reader")
                .dependsOn(first, Condition.ENDED)
                .env("MODEL", "${outputs.first.model}"));
    Job other =
        world.submit(
            Specs.job("other").dependsOn(first, Condition.ENDED).env("R", "${outputs.first.rows}"));
    Attempt attempt = world.run(world.place(first));
    stores
        .transactions()
        .run(() ->
            stores
                .outputs()
                .write(
                    first.tenant(), first.id(), attempt.id(), new TreeMap<>(Map.of("rows", "7"))));
    assertThat(pending(reader).orElseThrow().deadDependency()).isNull();

    world.succeed(attempt);

    PendingJob.FailedDependency dead = pending(reader).orElseThrow().deadDependency();
    assertThat(dead)
        .isEqualTo(
            new PendingJob.FailedDependency(
                "first", JobState.SUCCEEDED, false, "${outputs.first.model}"));
    assertThat(pending(other).orElseThrow().deadDependency()).isNull();
    assertThat(unmet(other)).isEmpty();
  }

  /** Fails when a job for a failure fails before, or although, the failure did not happen. */
  @Test
  void missingOutputEndsNoJobThatMayNotBeNeeded() {
    Job prep = world.submit(Specs.job("prep").outputs("model"));
    Job train = world.submit(Specs.job("train"));
    Job alarm =
        world.submit(
            Specs.job("alarm")
                .dependsOn(prep, Condition.SUCCEEDED)
                .dependsOn(train, Condition.FAILED)
                .env("MODEL", "${outputs.prep.model}"));
    world.succeed(world.run(world.place(prep)));
    assertThat(pending(alarm).orElseThrow().deadDependency()).isNull();

    world.succeed(world.run(world.place(train)));

    assertThat(pending(alarm).orElseThrow().deadDependency())
        .isEqualTo(new PendingJob.FailedDependency("train", JobState.SUCCEEDED, true));
  }

  /** Fails when an element waits for other elements, or takes their place within the limit. */
  @Test
  void elementWaitsOnlyForTheElementOfItsIndex() {
    Job first = world.submit(Specs.job("first").array("0-3"));
    Job second =
        world.submit(
            Specs.job("second").array("0-3%1").dependsOnElements(first, Condition.SUCCEEDED));
    Job begun =
        world.submit(Specs.job("begun").array("0-3").dependsOnElements(first, Condition.STARTED));
    assertThat(unmet(second))
        .singleElement()
        .satisfies(reason("world-reader.element-more-elements", "first"));

    Attempt third = world.run(world.place(first, 3, "node-1"));
    assertThat(indices(begun)).containsExactly(3);
    assertThat(unmet(begun)).isEmpty();
    assertThat(unmet(second)).hasSize(1);

    world.succeed(third);
    assertThat(indices(second)).containsExactly(3);
    assertThat(unmet(second)).isEmpty();
    assertThat(dead(second)).isEmpty();
  }

  /** Fails when an element whose own dependency failed waits, or ends elements of others. */
  @Test
  void elementEndsWhenItsOwnDependencyCanNoLongerBeMet() {
    Job first = world.submit(Specs.job("first").array("0-3").retry(1));
    Job second =
        world.submit(
            Specs.job("second").array("0-3%1").dependsOnElements(first, Condition.SUCCEEDED));
    Job handler =
        world.submit(Specs.job("handler").array("0-3").dependsOnElements(first, Condition.FAILED));
    Job patient =
        world.submit(
            Specs.job("patient")
                .array("0-3")
                .dependsOnElements(first, Condition.SUCCEEDED)
                .onDependencyFailure(JobSpec.OnDependencyFailure.WAIT));
    world.succeed(world.run(world.place(first, 2, "node-1")));
    world.fail(world.run(world.place(first, 1, "node-1")), FailureCause.USER_ERROR);

    assertThat(dead(second)).containsExactly(ended(JobState.FAILED, false, 1));
    assertThat(dead(handler)).containsExactly(ended(JobState.SUCCEEDED, true, 2));
    assertThat(dead(patient)).isEmpty();
    assertThat(indices(second)).containsExactly(2);
    assertThat(indices(handler)).containsExactly(1);
    assertThat(indices(patient)).containsExactly(2);
    assertThat(dead(second).getFirst().text())
        .satisfies(reason("world-reader.depends-element-job", "first", "FAILED"));

    world.cancel(first);

    assertThat(dead(second))
        .containsExactlyInAnyOrder(
            ended(JobState.CANCELLED, false, 0, 3), ended(JobState.FAILED, false, 1));
    world.succeed(world.run(world.place(patient, 2, "node-1")));
    assertThat(pending(patient).orElseThrow().deadDependency())
        .isEqualTo(ended(JobState.CANCELLED, false, 0, 3));
  }

  private static PendingJob.FailedDependency ended(JobState state, boolean skips, int... indexes) {
    return new PendingJob.FailedDependency("first", state, skips)
        .of(java.util.Arrays.stream(indexes).boxed().toList());
  }

  private List<PendingJob.FailedDependency> dead(Job job) {
    return stores.world().read().deadElements().stream()
        .filter(each -> each.job().id().equals(job.id()))
        .map(World.DeadElements::dependency)
        .toList();
  }

  private List<Integer> indices(Job job) {
    return pending(job).orElseThrow().offers().stream().map(Offer::index).toList();
  }

  private List<String> unmet(Job job) {
    return pending(job).orElseThrow().unmet();
  }
}
