package dev.fairlead.work.placement.service;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.fairlead.fleet.quota.UsedTier;
import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.kernel.transaction.FenceLost;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.EvictionRight;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.job.DecisionRecord.Placed;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.job.store.JobStore;
import dev.fairlead.work.job.store.JobWriter;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.JobSpec.OnDependencyFailure;
import dev.fairlead.work.world.Members;
import dev.fairlead.work.world.PendingJob.FailedDependency;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlanApplierTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final JobWriter writer = new JobWriter(stores.jobs(), stores.explanations(), t -> {});
  private final PlanApplier applier = applier(stores.jobs());
  private final HeldLease lease = stores.leases().create("scheduler", "me").orElseThrow();

  private Decision.Place on(String node, Job job, Reservation... taken) {
    List<Member> members = Members.of(job.spec(), List.of(world.node(node)), CapacityType.RESERVED);
    return new Decision.Place(
        job.id(), job.version(), 0, world.cluster().id(), members, List.of(taken), List.of(), null);
  }

  private PlanApplier applier(JobStore jobs) {
    Evictor evictor = new Evictor(jobs, writer, stores.reservations());
    return new PlanApplier(
        stores.transactions(),
        jobs,
        writer,
        evictor,
        new Resizer(jobs, writer, evictor),
        stores.volumes(),
        stores.ids(),
        metrics);
  }

  private int apply(Decision... decisions) {
    return applier.apply(lease, plan(decisions), List.of()).dropped();
  }

  private Plan plan(Decision... decisions) {
    return new Plan(world.now(), List.of(decisions), new TreeMap<>(), List.of());
  }

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

  static Stream<Throwable> failures() {
    return Stream.of(new IllegalStateException("broken"), new StackOverflowError());
  }

  /** Fails when one failed write ends the plan: later decisions were not written. */
  @ParameterizedTest
  @MethodSource("failures")
  void oneDecisionThatCannotBeWrittenKeepsNoneBehindItFromBeingWritten(Throwable failure) {
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
  void whereEveryWriteFailsTheTurnFails() {
    Job poison = world.submit(Specs.job("poison").gpus(8));

    Applied applied =
        applier(withPoison(poison, new IllegalStateException("broken")))
            .apply(lease, plan(on("node-1", poison)), List.of());

    assertThatThrownBy(applied::failWhenNothingWasWritten).hasRootCauseMessage("broken");
  }

  @Test
  void aPlacementBecomesAnAttemptThatHoldsItsPlace() {
    Job job = world.submit(Specs.job("a").gpus(8));
    assertThat(apply(on("node-1", job))).isZero();
    assertThat(world.job(job).state()).isEqualTo(JobState.ADMITTED);
    assertThat(world.node("node-1").gpus()).allMatch(g -> g.allocatedMilli() == 1000);
  }

  /** Fails when the deadline is not judged again on the locked row. */
  @Test
  void aJobThatCanNoLongerEndInTimeFailsAndOneThatCanDoesNot() {
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
  void aJobWhoseDependencyFailedFailsUnlessItsPolicyIsToWait() {
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
  void aJobForAFailureThatDidNotHappenIsCancelledWithItsCause() {
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
  void ofAnArrayTheElementsThatWaitFailAtItsDeadline() {
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
  void allElementsThatAWindowEndsAreStoppedByOnePlan() {
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

  /** Fails when all elements of an array on a cluster are said to be of the tier of the first. */
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
  void aJobThatChangedSinceThePlanIsDropped() {
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
  void oneDecisionThatNoLongerFitsDoesNotTakeItsBatchWithIt() {
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

  private Decision.Preempt takes(Job needs, Attempt... victims) {
    List<Decision.Preempt.Eviction> told =
        Stream.of(victims)
            .map(v ->
                new Decision.Preempt.Eviction(
                    v.id(), v.job(), EvictionRight.WITHIN_QUEUE, List.of()))
            .toList();
    Reservation place =
        new Reservation(
            needs.id(),
            0,
            Reservation.Kind.PREEMPTION,
            world.cluster().id(),
            Members.of(needs.spec(), List.of(world.node("node-2")), CapacityType.RESERVED),
            Stream.of(victims).map(Attempt::id).toList(),
            world.now(),
            null,
            world.now().plusSeconds(600));
    return new Decision.Preempt(needs.id(), needs.version(), told, place, List.of(), List.of());
  }

  @Test
  void aVictimIsToldToEndAndItsPlaceIsKeptInOneStep() {
    Attempt victim = world.run(world.place(world.submit(Specs.job("low").gpus(8)), 0, "node-1"));
    Job needs = world.submit(Specs.job("high").gpus(8));

    assertThat(apply(takes(needs, victim))).isZero();

    Attempt told = world.attempt(victim);
    assertThat(told.state()).isEqualTo(AttemptState.STOPPING);
    assertThat(told.stop().cause()).isEqualTo(StopCause.PREEMPTION);
    assertThat(told.stop().deadline()).isAfter(world.now());
    assertThat(stores.reservations().all()).hasSize(1);
  }

  private Reservation elsewhere(Job moves, String node, Attempt victim) {
    return new Reservation(
        moves.id(),
        0,
        Reservation.Kind.PREEMPTION,
        world.cluster().id(),
        Members.of(moves.spec(), List.of(world.node(node)), CapacityType.RESERVED),
        List.of(victim.id()),
        world.now(),
        null,
        world.now().plusSeconds(600));
  }

  /** Fails when the reservations of moving jobs are not stored, or are stored for an ended one. */
  @Test
  void whoMovesHasItsNewPlaceKeptUnlessItHasEnded() {
    Job moves = world.submit(Specs.job("moves").gpus(4));
    Attempt victim = world.run(world.place(moves, 0, "node-1"));
    Job done = world.submit(Specs.job("done").gpus(4));
    Attempt ended = world.succeed(world.run(world.place(done, 0, "node-1")));
    Job needs = world.submit(Specs.job("wide").gpus(8));
    Decision.Preempt told = takes(needs, victim, ended);
    Reservation place = elsewhere(moves, "node-2", victim);

    assertThat(
            apply(
                new Decision.Preempt(
                    told.job(),
                    told.jobVersion(),
                    told.victims(),
                    told.reservation(),
                    List.of(place, elsewhere(done, "node-2", ended)),
                    List.of())))
        .isZero();

    assertThat(stores.reservations().all()).containsExactlyInAnyOrder(told.reservation(), place);
  }

  /** Fails when the preemptor's version is not compared: victims would be evicted in vain. */
  @Test
  void nobodyIsToldToEndForAJobThatChanged() {
    Attempt victim = world.run(world.place(world.submit(Specs.job("low").gpus(8)), 0, "node-1"));
    Job needs = world.submit(Specs.job("high").gpus(8));
    Decision.Preempt planned = takes(needs, victim);
    world.cancel(needs);

    assertThat(apply(planned)).isEqualTo(1);

    assertThat(world.attempt(victim).state()).isEqualTo(AttemptState.RUNNING);
    assertThat(stores.reservations().all()).isEmpty();
  }

  @Test
  void aVictimThatHasEndedMeanwhileIsPassedOver() {
    Attempt ended =
        world.succeed(world.run(world.place(world.submit(Specs.job("done").gpus(4)), 0, "node-1")));
    Attempt victim = world.run(world.place(world.submit(Specs.job("low").gpus(4)), 0, "node-1"));
    Job needs = world.submit(Specs.job("high").gpus(8));

    assertThat(apply(takes(needs, ended, victim))).isZero();

    assertThat(world.attempt(ended).state()).isEqualTo(AttemptState.SUCCEEDED);
    assertThat(world.attempt(victim).state()).isEqualTo(AttemptState.STOPPING);
  }

  @Test
  void aPreemptedAttemptSpendsNoRetryBudget() {
    Job low = world.submit(Specs.job("low").gpus(8));
    Attempt victim = world.run(world.place(low, 0, "node-1"));
    apply(takes(world.submit(Specs.job("high").gpus(8)), victim));

    Failure failure = world.attempt(victim).failure();
    world.apply(victim, new AttemptEvent.Ended(AttemptState.PREEMPTED, failure));

    assertThat(failure.cause()).isEqualTo(FailureCause.PREEMPTED);
    assertThat(world.job(low).state()).isEqualTo(JobState.QUEUED);
    assertThat(world.job(low).run().failures()).isZero();
  }

  @Test
  void whatIsReleasedIsKeptNoLonger() {
    Attempt victim = world.run(world.place(world.submit(Specs.job("low").gpus(8)), 0, "node-1"));
    Job needs = world.submit(Specs.job("high").gpus(8));
    Decision.Preempt takes = takes(needs, victim);
    apply(takes);

    apply(new Decision.Release(needs.id(), 0, takes.reservation()));

    assertThat(stores.reservations().all()).isEmpty();
  }

  /**
   * Fails when the reservation remains until the next plan: this one has given it to others
   * already.
   */
  @Test
  void whoStartsElsewhereGivesItsPlaceAwayInTheSameStep() {
    Attempt victim = world.run(world.place(world.submit(Specs.job("low").gpus(8)), 0, "node-1"));
    Job needs = world.submit(Specs.job("high").gpus(8));
    apply(takes(needs, victim));

    assertThat(apply(on("node-2", needs))).isZero();

    assertThat(stores.reservations().all()).isEmpty();
  }

  /** Fails when a placement is not compared with the reservations of others. */
  @Test
  void thePlaceOfAJobWhoseStartIsDroppedIsGivenToNobody() {
    Attempt victim = world.run(world.place(world.submit(Specs.job("low").gpus(8)), 0, "node-1"));
    Job needs = world.submit(Specs.job("high").gpus(8));
    Job next = world.submit(Specs.job("next").gpus(8));
    apply(takes(needs, victim));
    Decision.Place gone =
        new Decision.Place(
            needs.id(),
            needs.version() - 1,
            0,
            world.cluster().id(),
            on("node-2", needs).members(),
            List.of(),
            List.of(),
            null);

    assertThat(apply(gone, on("node-2", next))).isEqualTo(2);

    assertThat(world.job(next).state()).isEqualTo(JobState.QUEUED);
    assertThat(stores.reservations().all()).hasSize(1);
  }

  /** A reservation after a fault for a waiting gang, on node-2. */
  private Reservation afterFault(Job gang) {
    return afterFault(gang, world.now());
  }

  private Reservation afterFault(Job gang, Instant at) {
    Reservation place =
        new Reservation(
            gang.id(),
            0,
            Reservation.Kind.FAULT,
            world.cluster().id(),
            Members.of(gang.spec(), List.of(world.node("node-2")), CapacityType.RESERVED),
            List.of(),
            at,
            null,
            at.plusSeconds(600));
    stores.transactions().run(() -> stores.reservations().put(List.of(place)));
    return place;
  }

  private static Decision.Preempt taking(Decision.Preempt p, Reservation taken) {
    return new Decision.Preempt(
        p.job(), p.jobVersion(), p.victims(), p.reservation(), p.moved(), List.of(taken));
  }

  /** Fails when the reservation ends without the start that took it over, or remains with it. */
  @Test
  void aTakenPlaceEndsWithTheStartAndStandsWithoutIt() {
    Reservation place = afterFault(world.submit(Specs.job("gang").gpus(8)));
    Job higher = world.submit(Specs.job("higher").gpus(8));
    Decision.Place planned = on("node-2", higher, place);
    Decision.Place late =
        new Decision.Place(
            higher.id(),
            higher.version() - 1,
            0,
            planned.cluster(),
            planned.members(),
            planned.taken(),
            List.of(),
            null);

    assertThat(apply(late)).isEqualTo(1);
    assertThat(stores.reservations().all()).containsExactly(place);
    assertThat(apply(on("node-2", higher))).as("without the right to take it").isEqualTo(1);

    assertThat(apply(planned)).isZero();
    assertThat(world.job(higher).state()).isEqualTo(JobState.ADMITTED);
    assertThat(stores.reservations().all()).isEmpty();
  }

  /**
   * Fails when a job takes over another reservation than in the plan: the gang has lost a node
   * since.
   */
  @Test
  void aPlaceThatAFaultHasMadeSinceIsNotTaken() {
    Job gang = world.submit(Specs.job("gang").gpus(8));
    Reservation seen = afterFault(gang, world.now().minusSeconds(1));
    Reservation now = afterFault(gang);
    Job higher = world.submit(Specs.job("higher").gpus(8));

    assertThat(apply(on("node-2", higher, seen))).isEqualTo(1);

    assertThat(stores.reservations().all()).containsExactly(now);
  }

  /** Fails when the reservation ends although the victims were not stopped, or remains. */
  @Test
  void aTakenPlaceEndsWithTheEvictionAndStandsWithoutIt() {
    Attempt victim = world.run(world.place(world.submit(Specs.job("low").gpus(8)), 0, "node-1"));
    Reservation place = afterFault(world.submit(Specs.job("gang").gpus(8)));
    Job gone = world.submit(Specs.job("gone").gpus(8));
    Decision.Preempt refused = taking(takes(gone, victim), place);
    world.cancel(gone);

    assertThat(apply(refused)).isEqualTo(1);
    assertThat(stores.reservations().all()).containsExactly(place);

    Decision.Preempt told = taking(takes(world.submit(Specs.job("needs").gpus(8)), victim), place);
    assertThat(apply(told)).isZero();
    assertThat(stores.reservations().all()).containsExactly(told.reservation());
  }

  /** Fails when a gang whose reservation was not taken over gets a worse one instead. */
  @Test
  void aPlaceThatWasNotTakenIsNotReplaced() {
    Job gang = world.submit(Specs.job("gang").gpus(8));
    Reservation place = afterFault(gang);
    Job gone = world.submit(Specs.job("gone").gpus(8));
    Decision.Place taking = on("node-2", gone, place);
    world.cancel(gone);
    Reservation drain =
        new Reservation(
            gang.id(),
            0,
            Reservation.Kind.DRAIN,
            place.cluster(),
            place.members(),
            List.of(),
            world.now(),
            null,
            world.now().plusSeconds(900));

    assertThat(apply(taking, new Decision.Reserve(gang.id(), gang.version(), drain))).isEqualTo(2);

    assertThat(stores.reservations().all()).containsExactly(place);
  }

  @Test
  void twoWhoTakeTheSameVictimTellItOnce() {
    Attempt victim = world.run(world.place(world.submit(Specs.job("low").gpus(8)), 0, "node-1"));
    Job one = world.submit(Specs.job("one").gpus(4));
    Job two = world.submit(Specs.job("two").gpus(4));

    assertThat(apply(takes(one, victim), takes(two, victim))).isZero();

    long version = world.job(world.job(one)).version();
    assertThat(world.attempt(victim).state()).isEqualTo(AttemptState.STOPPING);
    assertThat(stores.reservations().all()).hasSize(2);
    assertThat(apply(takes(world.job(one), victim))).isZero();
    assertThat(world.job(one).version()).isEqualTo(version);
  }
}
