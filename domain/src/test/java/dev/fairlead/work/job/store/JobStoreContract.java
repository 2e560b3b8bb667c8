package dev.fairlead.work.job.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.EventRecord;
import dev.fairlead.work.job.AllocationContract;
import dev.fairlead.work.job.AttemptStoreContract;
import dev.fairlead.work.job.Filters;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobElement;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.job.JobTransitions;
import dev.fairlead.work.job.LateExplanation;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.RichSpec;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.Transition;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Rows, versions and names of jobs in every {@link JobStore}. {@link AttemptStoreContract} tests
 * the rows of attempts, {@link AllocationContract} their holdings.
 */
public abstract class JobStoreContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Test
  void submittedJobIsReadBack() {
    Job job = world.newJob(RichSpec.withEverything("everything"));

    world.append(JobTransitions.submit(job));

    assertThat(stores.jobs().find(world.tenant().id(), job.id())).contains(job);
  }

  @Test
  void arrayIsReadBackWithItsCounts() {
    Job job = world.newJob(Specs.job("array").array("0-99%8").build());

    world.append(JobTransitions.submit(job));

    assertThat(world.job(job)).isEqualTo(job);
    assertThat(stores.jobs().elements(job.id(), 0, 10)).isEmpty();
  }

  /** Fails when a row of a job or an element forgets how many faults ended its attempts. */
  @Test
  void consecutiveFaultsOfJobsAndElementsSurviveTheNextPlacement() {
    Job job = world.submit(Specs.job("one"));
    Job array = world.submit(Specs.job("array").array("0-3"));
    for (int fault = 1; fault <= 2; fault++) {
      sick(world.run(world.place(job)));
      sick(world.run(world.place(array, 1, "node-1")));
      assertThat(world.job(job).run().faults()).isEqualTo(fault);
      assertThat(world.element(array, 1).run().faults()).isEqualTo(fault);
    }
    world.place(job);
    assertThat(world.job(job).run().faults()).isEqualTo(2);
    assertThat(stores.jobs().list(Filters.of(world).build()).jobs())
        .filteredOn(listed -> listed.id().equals(job.id()))
        .extracting(listed -> listed.run().faults())
        .containsExactly(2);
    assertThat(stores.jobs().elements(array.id(), 0, 9))
        .extracting(element -> element.run().faults())
        .containsExactly(2);
  }

  private void sick(Attempt attempt) {
    Failure sick =
        Failure.ofIncident("XID 79", attempt.number(), "worker-0", "node-1", null, "inc_1");
    world.apply(attempt, new AttemptEvent.Ended(AttemptState.FAILED, sick));
  }

  /** Fails when the row of an ended attempt or job rejects a cause that is reported later. */
  @Test
  void laterDetailsOfAnEndAreStoredWithoutAStateChange() {
    Job job = world.submit(Specs.job("one"));
    Attempt attempt = world.fail(world.run(world.place(job)), FailureCause.USER_ERROR);
    Failure sick = Failure.ofIncident("XID 79", 1, "worker-0", "node-1", null, "inc_1");

    world.append(
        LateExplanation.of(world.job(job), null, attempt, sick, world.now(), "test").orElseThrow());

    assertThat(world.attempt(attempt).failure()).isEqualTo(sick);
    assertThat(world.job(job).state()).isEqualTo(JobState.FAILED);
    assertThat(world.job(job).run().failure().message()).startsWith("XID 79, reported after");
    assertThat(world.job(job).run().failures()).isZero();
  }

  /** Fails when a member of a warm pool keeps its name, its user or its labels. */
  @Test
  void aTakenMemberIsTheJobOfTheSubmit() {
    Specs warm = Specs.job("h100-warm-1").gpus(1).label(WarmMember.LABEL, "h100");
    Job member = world.submit(warm);
    Attempt attempt = world.run(world.place(member));
    Job wanted = world.newJob(Specs.job("eda").gpus(1).label("session", "jupyter").build());
    Transition take = OwnerTransitions.take(world.job(member), attempt, wanted, world.now());

    world.append(take);

    assertThat(world.job(member)).isEqualTo(take.job());
    assertThat(world.job(member).name()).isEqualTo("eda");
    assertThat(world.attempt(attempt)).isEqualTo(take.attempt());
    assertThat(active("eda", "h100-warm-1")).containsExactly(member.id());
    Job next = world.submit(warm);
    assertThat(active("h100-warm-1")).containsExactly(next.id());
    Refused.by(Guard.VERSION, member.id().text(), () -> world.append(take));
  }

  /** Fails when a member becomes a second active job of a name. */
  @Test
  void aMemberIsNotTakenUnderTheNameOfAnActiveJob() {
    Job member = world.submit(Specs.job("h100-warm-1").label(WarmMember.LABEL, "h100"));
    Attempt attempt = world.run(world.place(member));
    var _ = world.submit(Specs.job("eda"));
    Job wanted = world.newJob(Specs.job("eda").build());

    Refused.by(
        Guard.NAME_TAKEN,
        member.id().text(),
        () -> world.append(OwnerTransitions.take(world.job(member), attempt, wanted, world.now())));
    assertThat(world.job(member).name()).isEqualTo("h100-warm-1");
  }

  private List<JobId> active(String... names) {
    return stores
        .jobs()
        .activeNamed(world.tenant().id(), world.project().id(), List.of(names))
        .stream()
        .map(NamedJob::id)
        .toList();
  }

  @Test
  void anotherTenantFindsNothing() {
    Job job = world.submit(Specs.job("mine"));
    TestWorld other = TestWorld.in(stores);

    assertThat(stores.jobs().find(other.tenant().id(), job.id())).isEmpty();
    assertThat(stores.jobs().list(Filters.of(other).build()).jobs()).isEmpty();
  }

  @Test
  void staleUpdateIsRejected() {
    // Fails when the version is missing from the job's UPDATE.
    Job job = world.submit(Specs.job("one"));
    Transition late = JobTransitions.cancel(job, false, world.now(), "late").orElseThrow();
    world.place(job);

    Refused.by(Guard.VERSION, job.id().text(), () -> world.append(late));
    assertThat(world.job(job).state()).isEqualTo(JobState.ADMITTED);
  }

  @Test
  void updateOfAMissingJobIsRejected() {
    Job job = world.newJob(Specs.job("never").build());
    Transition early = JobTransitions.cancel(job, false, world.now(), "early").orElseThrow();

    Refused.by(Guard.VERSION, job.id().text(), () -> world.append(early));
  }

  @Test
  void activeNameIsUniqueInItsProject() {
    // Fails when the partial unique index on active names is missing.
    Job first = world.submit(Specs.job("train"));
    Job second = world.newJob(Specs.job("train").build());

    Refused.by(
        Guard.NAME_TAKEN, second.id().text(), () -> world.append(JobTransitions.submit(second)));
    assertThat(named("train")).containsExactly(new NamedJob(first.id(), "train", true));
    assertThat(activeNamed("train", "twin")).isEqualTo(named("train"));
  }

  @Test
  void twoNewJobsOfOneNameInOneBatchAreRefused() {
    Transition first = JobTransitions.submit(world.newJob(Specs.job("twin").build()));
    Transition second = JobTransitions.submit(world.newJob(Specs.job("twin").build()));

    Refused.by(Guard.NAME_TAKEN, () -> world.append(first, second));
    assertThat(named("twin")).isEmpty();
  }

  @Test
  void nameOfAnEndedJobIsReusableAndStaysWithTheNewOne() {
    Job first = world.submit(Specs.job("train"));
    Attempt ended = world.succeed(world.run(world.place(first)));
    Job second = world.submit(Specs.job("train"));

    world.append(JobTransitions.retire(world.job(first), ended, world.now(), TestWorld.ACTOR));

    assertThat(activeNamed("train")).containsExactly(new NamedJob(second.id(), "train", true));
    assertThat(named("train", "no-such-job"))
        .as("newest first")
        .containsExactly(
            new NamedJob(second.id(), "train", true), new NamedJob(first.id(), "train", false));
    assertThat(
            stores
                .jobs()
                .projects(world.tenant().id(), List.of(first.id(), new JobId(new UUID(1, 1)))))
        .isEqualTo(Map.of(first.id(), world.project().id()));
  }

  private List<NamedJob> activeNamed(String... names) {
    return stores.jobs().activeNamed(world.tenant().id(), world.project().id(), List.of(names));
  }

  private List<NamedJob> named(String... names) {
    return stores.jobs().named(world.tenant().id(), world.project().id(), List.of(names));
  }

  @Test
  void severalChangesOfOneJobInOneBatchApplyInOrder() {
    Job job = world.newJob(Specs.job("quick").build());
    Transition submitted = JobTransitions.submit(job);
    Transition cancelled = JobTransitions.cancel(job, false, world.now(), "quick").orElseThrow();

    world.append(submitted, cancelled);

    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLED);
    assertThat(world.job(job).version()).isEqualTo(2);
    assertThat(typesOf(job)).containsExactly("JobSubmitted", "JobCancelled");
  }

  @Test
  void batchIsWrittenEntirelyOrNotAtAll() {
    Job good = world.newJob(Specs.job("good").build());
    Job stale = world.submit(Specs.job("stale"));
    Transition late = JobTransitions.cancel(stale, false, world.now(), "late").orElseThrow();
    world.place(stale);

    Refused.by(Guard.VERSION, () -> world.append(JobTransitions.submit(good), late));

    assertThat(stores.jobs().find(world.tenant().id(), good.id())).isEmpty();
    assertThat(typesOf(good)).isEmpty();
  }

  @Test
  void endedJobKeepsItsState() {
    // Fails when the WHERE of the UPDATE does not exclude terminal rows. The version and all other
    // conditions match here.
    Job job = world.submit(Specs.job("done"));
    world.succeed(world.run(world.place(job)));
    Job ended = world.job(job);
    Transition risen =
        new Transition(
            ended.next(JobStatus.queued(world.now()), null),
            List.of(),
            null,
            Transition.AllocationChange.KEEP,
            List.of(),
            "late");

    Refused.by(Guard.VERSION, job.id().text(), () -> world.append(risen));
    assertThat(world.job(job)).isEqualTo(ended);
  }

  @Test
  void endedElementKeepsItsState() {
    Job job = world.submit(Specs.job("array").array("0-1"));
    world.succeed(world.run(world.place(job, 0, "node-1")));
    Job now = world.job(job);
    JobElement risen = new JobElement(job.id(), 0, JobStatus.queued(world.now()));
    Transition late =
        new Transition(
            now.next(now.run(), now.array()),
            List.of(risen),
            null,
            Transition.AllocationChange.KEEP,
            List.of(),
            "late");

    Refused.by(Guard.VERSION, job.id().text(), () -> world.append(late));
    assertThat(world.element(job, 0).run().state()).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void elementsAreFoundByIndex() {
    Job job = world.submit(Specs.job("array").array("0-9%5"));
    for (int i = 0; i < 3; i++) {
      world.place(job, i, "node-1");
    }

    assertThat(stores.jobs().elements(job.id(), 1, 10))
        .extracting(JobElement::index)
        .containsExactly(1, 2);
    assertThat(stores.jobs().elements(job.id(), 0, 2))
        .extracting(JobElement::index)
        .containsExactly(0, 1);
    assertThat(stores.jobs().element(job.id(), 2))
        .map(e -> e.run().state())
        .contains(JobState.ADMITTED);
    assertThat(stores.jobs().element(job.id(), 3)).isEmpty();
  }

  @Test
  void lockedJobsAreReturnedOnceInIdOrder() {
    Job first = world.submit(Specs.job("first"));
    Job second = world.submit(Specs.job("second"));
    JobId unknown = new JobId(stores.ids().next());

    List<Job> locked =
        stores
            .transactions()
            .call(() -> stores.jobs().lock(List.of(second.id(), unknown, first.id(), second.id())));

    assertThat(locked).containsExactly(first, second);
  }

  @Test
  void versionsOfLockedJobsMatchTheirRows() {
    Job submitted = world.submit(Specs.job("submitted"));
    Job placed = world.submit(Specs.job("placed"));
    world.place(placed);
    JobId unknown = new JobId(stores.ids().next());

    SortedMap<JobId, Long> versions =
        stores
            .transactions()
            .call(() -> stores.jobs().lockVersions(List.of(placed.id(), unknown, submitted.id())));

    assertThat(versions)
        .containsExactly(
            Map.entry(submitted.id(), submitted.version()),
            Map.entry(placed.id(), world.job(placed).version()));
  }

  @Test
  void jobsThatWaitInAQueueAreCountedByUser() {
    Job waits = world.submit(Specs.job("waits"));
    world.cancel(world.submit(Specs.job("cancelled")));

    assertThat(queued(waits.user(), 9)).isEqualTo(1);
    assertThat(queued("another", 9)).isZero();
  }

  /** Fails when a submit counts all waiting jobs of its user, regardless of their number. */
  @Test
  void countOfWaitingJobsStopsAtTheRequestedLimit() {
    Job waits = world.submit(Specs.job("waits"));
    world.submit(Specs.job("waits-too"));
    world.submit(Specs.job("and-this"));

    assertThat(queued(waits.user(), 2)).isEqualTo(2);
  }

  private long queued(String user, long most) {
    return stores
        .transactions()
        .read(() -> stores.jobs().queuedCount(world.tenant().id(), world.queue().id(), user, most));
  }

  @Test
  void activeJobsAreCountedInTheirTenant() {
    world.submit(Specs.job("waits"));
    world.cancel(world.submit(Specs.job("cancelled")));
    TestWorld.in(stores).submit(Specs.job("of-another-tenant"));

    assertThat(ofTenant(9)).isEqualTo(1);
  }

  @Test
  void activeJobsAreCountedInTheirProject() {
    world.submit(Specs.job("waits"));
    world.cancel(world.submit(Specs.job("cancelled")));

    assertThat(stores.jobs().activeCount(world.project().id(), 9)).isEqualTo(1);
  }

  /** Fails when each submit counts all jobs, even far beyond a limit. */
  @Test
  void countOfActiveJobsStopsAtTheMaximum() {
    for (int i = 0; i < 4; i++) {
      world.submit(Specs.job("job-" + i));
    }

    assertThat(stores.jobs().activeCount(world.project().id(), 2)).isEqualTo(2);
    assertThat(ofTenant(3)).isEqualTo(3);
  }

  private long ofTenant(long most) {
    return stores
        .transactions()
        .read(() -> stores.jobs().activeCountOfTenant(world.tenant().id(), most));
  }

  private List<String> typesOf(Job job) {
    return stores
        .events()
        .of(world.tenant().id(), IdKind.JOB, job.id().value(), EventPosition.START, 100)
        .stream()
        .map(EventRecord::fact)
        .map(fact -> fact.type())
        .toList();
  }
}
