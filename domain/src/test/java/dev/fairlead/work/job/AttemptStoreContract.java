package dev.fairlead.work.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.ActionRequest;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.AttemptLifecycle;
import dev.fairlead.work.attempt.AttemptRange;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.DeviceReporter;
import dev.fairlead.work.attempt.member.HeldDevice;
import dev.fairlead.work.attempt.member.MemberDevices;
import dev.fairlead.work.event.EventPosition;
import dev.fairlead.work.event.Fact;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows of attempts in every {@link JobStore}: fields, lists, and attempts with an open action. */
public abstract class AttemptStoreContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  @Test
  void storedAttemptIsReadBack() {
    Job job = world.submit(Specs.job("gang").workers(2).gpus(2));
    Attempt placed = world.attempt(job, 0, world.place(job).members());

    Attempt stored = stores.jobs().liveAttempts(job.id()).getFirst();

    assertThat(stored.members()).isEqualTo(placed.members());
    assertThat(stored.state()).isEqualTo(AttemptState.PLANNED);
    assertThat(stored.number()).isEqualTo(1);
    assertThat(stores.jobs().attempts(List.of(stored.id()))).containsExactly(stored);
  }

  @Test
  void everyFieldOfAnAttemptIsStoredThroughItsLifecycle() {
    Attempt attempt = world.run(world.place(world.submit(Specs.job("one").gpus(1))));
    Failure failure =
        new Failure(
            FailureCause.GPU_FAULT,
            "xid 79",
            1,
            "worker-0",
            "node-1",
            "node-1/0",
            137,
            List.of("Xid"),
            null);
    Attempt stopping =
        AttemptLifecycle.apply(
                attempt, new AttemptEvent.Stop(StopCause.LOSS, failure, world.now()), world.now())
            .orElseThrow();

    world.append(
        JobTransitions.observe(
            world.job(job(attempt)),
            null,
            stopping,
            null,
            List.of(),
            world.now(),
            TestWorld.ACTOR));

    assertThat(world.attempt(attempt)).isEqualTo(stopping);
  }

  /** Fails when a change of the devices alone is not written, or a source is lost. */
  @Test
  void theDevicesOfAMemberAreStoredWithTheirSources() {
    HeldDevice whole = new HeldDevice("GPU-5ca9e8b1-0000-4000-8000-000000000001", false);
    HeldDevice part = new HeldDevice("GPU-5ca9e8b1-0000-4000-8000-000000000002", true);
    Attempt attempt = world.run(world.place(world.submit(Specs.job("one").gpus(1))));
    assertThat(world.attempt(attempt).members().getFirst().devices()).isEqualTo(MemberDevices.NONE);

    world.reported(attempt, DeviceReporter.POD_STATUS, List.of(whole, part));
    world.reported(attempt, DeviceReporter.NODE_AGENT, List.of(part));

    assertThat(world.attempt(attempt).members().getFirst().devices())
        .isEqualTo(
            new MemberDevices(
                List.of(
                    new MemberDevices.Report(DeviceReporter.NODE_AGENT, List.of(part)),
                    new MemberDevices.Report(DeviceReporter.POD_STATUS, List.of(whole, part)))));
  }

  @Test
  void currentMembersOnTheGpusOfANodeAreReturned() {
    Attempt held = world.run(world.place(world.submit(Specs.job("held").gpus(1)), 0, "node-1"));
    Attempt _ = world.run(world.place(world.submit(Specs.job("plain")), 0, "node-1"));
    Attempt _ = world.run(world.place(world.submit(Specs.job("away").gpus(1)), 0, "node-2"));
    Attempt ended = world.run(world.place(world.submit(Specs.job("ended").gpus(1)), 0, "node-1"));
    Attempt _ = world.succeed(ended);

    NodeId node = held.members().getFirst().node();
    assertThat(stores.jobs().membersOnGpusOf(node))
        .containsExactly(
            new JobStore.GpuMember(
                held.job(), held.id(), world.attempt(held).members().getFirst()));
  }

  @Test
  void ownersOfAttemptsAreTheOwnersOfTheirJobs() {
    Job job = world.submit(Specs.job("owned"));
    Attempt attempt = world.place(job);
    AttemptId unknown = new AttemptId(stores.ids().next());

    assertThat(
            stores
                .transactions()
                .forAllTenants(() -> stores.jobs().owners(List.of(unknown, attempt.id()))))
        .containsExactly(
            new JobStore.AttemptOwner(
                attempt.id(), attempt.cluster(), job.id(), job.tenant(), job.project()));
  }

  private Job job(Attempt attempt) {
    return stores.jobs().lock(List.of(attempt.job())).getFirst();
  }

  /** Fails when only the attempt's own state is checked: a cancelled job would continue. */
  @Test
  void runningAttemptRequiresActionOnlyWhileItsJobIsCancelling() {
    Job job = world.submit(Specs.job("running"));
    Attempt running = world.run(world.place(job));
    assertThat(actionable()).doesNotContain(running.id());

    world.append(JobTransitions.cancel(world.job(job), true, world.now(), "ana").orElseThrow());
    assertThat(actionable()).contains(running.id());
  }

  @Test
  void plannedLaunchingAndEndedAttemptsRequireAction() {
    Attempt attempt = world.place(world.submit(Specs.job("early")));
    assertThat(actionable()).contains(attempt.id());
    world.apply(attempt, new AttemptEvent.Launch());
    assertThat(actionable()).contains(attempt.id());
    world.apply(attempt, new AttemptEvent.Progress(true));
    world.succeed(attempt);
    assertThat(actionable()).contains(attempt.id());
  }

  /** Fails when a patch of a running job is not returned: its new limits would not be enforced. */
  @Test
  void runningAttemptRequiresActionAfterAPatchOfItsJob() {
    Job job = world.submit(Specs.job("patched"));
    Attempt running = world.run(world.place(job));
    assertThat(actionable()).doesNotContain(running.id());

    Job now = world.job(job);
    world.append(OwnerTransitions.patch(now, now.spec(), List.of("maxRuntime"), "ana"));

    assertThat(actionable()).contains(running.id());
  }

  /** Fails when when it was launched, or since when it cannot be seen, is not stored. */
  @Test
  void attemptStoresItsLaunchTimeAndTheStartOfItsSilence() {
    Attempt placed = world.place(world.submit(Specs.job("unreachable")));
    assertThat(stores.jobs().attempts(List.of(placed.id())).getFirst().launchedAt()).isNull();

    world.apply(placed, new AttemptEvent.Launch(), new AttemptEvent.Unreachable());

    Attempt unreachable = stores.jobs().attempts(List.of(placed.id())).getFirst();
    assertThat(unreachable.launchedAt()).isNotNull();
    assertThat(unreachable.unreachableSince()).isNotNull();
    world.apply(placed, new AttemptEvent.Seen(AttemptState.LAUNCHING));
    assertThat(stores.jobs().attempts(List.of(placed.id())).getFirst().unreachableSince()).isNull();
  }

  private Set<AttemptId> actionable() {
    return stores
        .jobs()
        .actionable(world.cluster().id(), new ActionRequest.Window(new TreeMap<>(), 100))
        .stream()
        .map(ActionRequest::attempt)
        .collect(Collectors.toSet());
  }

  // Fails when a bulk cancel reads the attempts of one job only.
  @Test
  void liveAttemptsOfSeveralJobsAreFoundTogether() {
    Job ended = world.submit(Specs.job("ended"));
    world.fail(world.run(world.place(ended)), FailureCause.USER_ERROR);
    List<Job> jobs = List.of(world.submit(Specs.job("one")), world.submit(Specs.job("two")));
    List<Attempt> placed = jobs.stream().map(world::place).toList();

    assertThat(
            stores
                .jobs()
                .liveAttempts(List.of(jobs.getFirst().id(), jobs.getLast().id(), ended.id())))
        .containsExactlyInAnyOrderElementsOf(placed);
  }

  @Test
  void attemptsAreListedByNumber() {
    Job job = world.submit(Specs.job("retried").retry(3, FailureCause.NODE_FAILURE));
    Attempt first = world.fail(world.run(world.place(job)), FailureCause.NODE_FAILURE);
    Attempt second = world.place(job);

    assertThat(stores.jobs().attempts(job.id(), 10)).containsExactly(first, second);
    assertThat(stores.jobs().liveAttempts(job.id())).containsExactly(second);
    assertThat(stores.jobs().latestAttempts(world.tenant().id(), List.of(job.id())))
        .containsExactly(second);
  }

  @Test
  void attemptsOfAnArrayAreReadInPagesAndByElement() {
    Job array = world.submit(Specs.job("array").array("0-2").gpus(1));
    Attempt first = world.place(array, 0, "node-1");
    Attempt second = world.place(world.job(array), 1, "node-1");
    Attempt third = world.place(world.job(array), 2, "node-1");

    assertThat(stores.jobs().attempts(array.id(), AttemptRange.of(null, 2)))
        .containsExactly(first, second);
    assertThat(stores.jobs().attempts(array.id(), new AttemptRange(null, 1, 1, 2)))
        .containsExactly(third);
    assertThat(stores.jobs().attempts(array.id(), AttemptRange.of(1, 2))).containsExactly(second);
    assertThat(stores.jobs().attempts(array.id(), AttemptRange.of(7, 2))).isEmpty();
  }

  @Test
  void lastLiveElementRepresentsItsArray() {
    Job array = world.submit(Specs.job("array").array("0-3").gpus(1));
    Attempt first = world.place(array, 0, "node-1");
    Attempt second = world.place(world.job(array), 1, "node-1");
    Job waits = world.submit(Specs.job("waits").array("0-3"));
    TenantId tenant = world.tenant().id();

    assertThat(stores.jobs().lastLiveAttempts(tenant, List.of(array.id(), waits.id())))
        .containsExactly(second);
    world.succeed(world.run(second));
    assertThat(stores.jobs().lastLiveAttempts(tenant, List.of(array.id()))).containsExactly(first);
    assertThat(stores.jobs().lastLiveAttempts(tenant, List.of())).isEmpty();
  }

  @Test
  void jobWithoutAttemptsHasNoLatest() {
    Job waits = world.submit(Specs.job("waits"));

    assertThat(stores.jobs().latestAttempts(world.tenant().id(), List.of(waits.id()))).isEmpty();
    assertThat(stores.jobs().latestAttempts(world.tenant().id(), List.of())).isEmpty();
  }

  @Test
  void attemptIsReconciledUntilItIsRetired() {
    Job job = world.submit(Specs.job("one"));
    Attempt ended = world.succeed(world.run(world.place(job)));
    assertThat(stores.jobs().unretired(world.cluster().id())).containsExactly(ended);

    world.append(JobTransitions.retire(world.job(job), ended, world.now(), TestWorld.ACTOR));

    assertThat(stores.jobs().unretired(world.cluster().id())).isEmpty();
    assertThat(world.attempt(ended).retiredAt()).isNotNull();
  }

  /**
   * Fails when a retirement writes the row of the job, so that each process would read the job
   * again.
   */
  @Test
  void aRetirementDoesNotChangeTheJob() {
    Job job = world.submit(Specs.job("one"));
    Attempt ended = world.succeed(world.run(world.place(job)));
    Job before = world.job(job);

    world.append(JobTransitions.retire(before, ended, world.now(), TestWorld.ACTOR));

    assertThat(world.job(job)).isEqualTo(before);
    assertThat(world.attempt(ended)).isEqualTo(ended.retired(world.attempt(ended).retiredAt()));
  }

  /** Fails when a retirement without an event is taken for a change of the job. */
  @Test
  void retirementWithoutAnEventChangesOnlyTheAttempt() {
    Job job = world.submit(Specs.job("one"));
    Attempt ended = world.succeed(world.run(world.place(job)));
    Job before = world.job(job);
    int events = eventsOf(job);

    world.append(JobTransitions.retire(before, ended, world.now(), TestWorld.ACTOR).withoutFacts());

    assertThat(world.job(job)).isEqualTo(before);
    assertThat(world.attempt(ended).retiredAt()).isNotNull();
    assertThat(eventsOf(job)).isEqualTo(events);
  }

  /** Fails when every change of a retired attempt counts as its retirement. */
  @Test
  void aRetiredAttemptMayStillBeExplained() {
    Job job = world.submit(Specs.job("one"));
    Attempt ended = world.succeed(world.run(world.place(job)));
    world.append(
        JobTransitions.retire(world.job(job), ended, world.now(), TestWorld.ACTOR).withoutFacts());
    Job before = world.job(job);

    world.append(
        new Transition(
            before.next(before.run(), before.array()),
            List.of(),
            world.attempt(ended),
            Transition.AllocationChange.KEEP,
            List.of(Fact.of("AttemptExplained")),
            TestWorld.ACTOR));

    assertThat(world.job(job).version()).isEqualTo(before.version() + 1);
  }

  private int eventsOf(Job job) {
    return stores
        .events()
        .of(world.tenant().id(), IdKind.JOB, job.id().value(), EventPosition.START, 100)
        .size();
  }

  /**
   * Fails when the version of the job is the only guard, because a retirement does not raise it.
   */
  @Test
  void staleWriterNeitherUndoesNorRepeatsARetirement() {
    Job job = world.submit(Specs.job("one"));
    Attempt ended = world.succeed(world.run(world.place(job)));
    String actor = TestWorld.ACTOR;
    world.append(JobTransitions.retire(world.job(job), ended, world.now(), actor));
    Attempt retired = world.attempt(ended);

    world.append(JobTransitions.notCleared(world.job(job), ended, "a pod stays", actor));

    assertThat(world.attempt(ended)).isEqualTo(retired);
    Transition again =
        JobTransitions.retire(world.job(job), ended, world.now().plusSeconds(1), actor);
    assertThatThrownBy(() -> world.append(again)).isInstanceOf(Conflict.class);
  }

  /** Fails when a batch mixes up the versions before and after a retirement. */
  @Test
  void jobUpdateAndRetirementOfAnEarlierAttemptDoNotConflict() {
    Job job = world.submit(Specs.job("one"));
    Attempt failed = world.fail(world.run(world.place(job)), FailureCause.NODE_FAILURE);
    String actor = TestWorld.ACTOR;
    Job before = world.job(job);
    Transition retired = JobTransitions.retire(before, failed, world.now(), actor);
    Transition cancelled =
        JobTransitions.cancel(retired.job(), false, world.now(), actor).orElseThrow();

    world.append(retired, cancelled);

    assertThat(world.job(job).state()).isEqualTo(JobState.CANCELLED);
    assertThat(world.job(job).version()).isEqualTo(before.version() + 1);
    assertThat(world.attempt(failed).retiredAt()).isNotNull();
  }

  /** Fails when a process that takes over a cluster does not know the stored causes. */
  @Test
  void remainingObjectsOfAnEndedAttemptAreFoundUntilItsRetirement() {
    Job job = world.submit(Specs.job("one"));
    Attempt ended = world.succeed(world.run(world.place(job)));
    String actor = TestWorld.ACTOR;
    world.append(JobTransitions.notCleared(world.job(job), ended, "a pod stays", actor));
    world.append(JobTransitions.notCleared(world.job(job), ended, "it still stays", actor));

    assertThat(stores.jobs().heldUp(world.cluster().id(), 10))
        .singleElement()
        .satisfies(held -> {
          assertThat(held.attempt()).isEqualTo(ended.id());
          assertThat(held.job()).isEqualTo(job.id());
          assertThat(held.why()).isEqualTo("it still stays");
        });
    assertThat(stores.jobs().heldUp(new ClusterId(stores.ids().next()), 10)).isEmpty();

    world.append(JobTransitions.retire(world.job(job), ended, world.now(), actor));
    assertThat(stores.jobs().heldUp(world.cluster().id(), 10)).isEmpty();
  }

  @Test
  void attemptsRequiringActionAreFoundByIdWithTheirState() {
    Attempt planned = world.place(world.submit(Specs.job("planned")));
    world.run(world.place(world.submit(Specs.job("runs"))));
    Attempt stopping = world.run(world.place(world.submit(Specs.job("stopping"))));
    stopping = world.apply(stopping, stop(stopping));
    Attempt ended = world.succeed(world.run(world.place(world.submit(Specs.job("ended")))));

    assertThat(wanting(new ActionRequest.Window(new TreeMap<>(), 10)))
        .containsExactly(
            entry(planned.id(), AttemptState.PLANNED),
            entry(stopping.id(), AttemptState.STOPPING),
            entry(ended.id(), AttemptState.SUCCEEDED));
    assertThat(stores.jobs().unretired(world.cluster().id())).hasSize(4);
  }

  /** Fails when all kinds share one window: stuck stops would hide starts. */
  @Test
  void eachKindHasAMovingPageWindow() {
    List<Attempt> stopping = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Attempt running = world.run(world.place(world.submit(Specs.job("stops-" + i))));
      stopping.add(world.apply(running, stop(running)));
    }
    Attempt planned = world.place(world.submit(Specs.job("planned")));

    assertThat(wanting(new ActionRequest.Window(new TreeMap<>(), 2)))
        .containsOnlyKeys(stopping.get(0).id(), stopping.get(1).id(), planned.id());
    SortedMap<ActionRequest.Kind, AttemptId> after =
        new TreeMap<>(Map.of(ActionRequest.Kind.STOP, stopping.get(1).id()));
    assertThat(wanting(new ActionRequest.Window(after, 2)))
        .containsOnlyKeys(stopping.get(2).id(), planned.id());
  }

  private SortedMap<AttemptId, AttemptState> wanting(ActionRequest.Window window) {
    SortedMap<AttemptId, AttemptState> found = new TreeMap<>();
    stores
        .jobs()
        .actionable(world.cluster().id(), window)
        .forEach(r -> found.put(r.attempt(), r.state()));
    return found;
  }

  private AttemptEvent.Stop stop(Attempt attempt) {
    return JobTransitions.stop(
        attempt, StopCause.CANCEL, Specs.job("train").build(), "cancelled", world.now());
  }
}
