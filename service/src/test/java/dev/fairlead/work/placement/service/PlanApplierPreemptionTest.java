package dev.fairlead.work.placement.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptEvent;
import dev.fairlead.work.attempt.AttemptState;
import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.StopCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.OwnerTransitions;
import dev.fairlead.work.job.Specs;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.spec.WarmMember;
import dev.fairlead.work.world.Members;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Evictions of a plan and their reservations. */
class PlanApplierPreemptionTest extends PlanApplierScene {

  @Test
  void victimIsToldToEndAndItsNodesAreReservedInOneStep() {
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
  void movingJobHasItsNewNodesReservedUnlessItEnded() {
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
  void noVictimIsToldToEndForAChangedJob() {
    Attempt victim = world.run(world.place(world.submit(Specs.job("low").gpus(8)), 0, "node-1"));
    Job needs = world.submit(Specs.job("high").gpus(8));
    Decision.Preempt planned = takes(needs, victim);
    world.cancel(needs);

    assertThat(apply(planned)).isEqualTo(1);

    assertThat(world.attempt(victim).state()).isEqualTo(AttemptState.RUNNING);
    assertThat(stores.reservations().all()).isEmpty();
  }

  /** Fails when a preemption that was planned for an idle member stops the session of a user. */
  @Test
  void warmPoolMemberClaimedMeanwhileContinues() {
    Job member = world.submit(Specs.job("h100-warm-1").gpus(8).label(WarmMember.LABEL, "h100"));
    Attempt victim = world.run(world.place(member, 0, "node-1"));
    Job needs = world.submit(Specs.job("batch").gpus(8));
    Decision.Preempt planned = takes(needs, victim);
    Job session = world.submit(Specs.job("eda").gpus(8));
    world.cancel(session);
    writer.write(List.of(OwnerTransitions.take(world.job(member), victim, session, world.now())));

    assertThat(apply(planned)).isEqualTo(1);

    assertThat(world.attempt(victim).state()).isEqualTo(AttemptState.RUNNING);
    assertThat(stores.reservations().all()).isEmpty();
  }

  @Test
  void victimThatEndedMeanwhileIsSkipped() {
    Attempt ended =
        world.succeed(world.run(world.place(world.submit(Specs.job("done").gpus(4)), 0, "node-1")));
    Attempt victim = world.run(world.place(world.submit(Specs.job("low").gpus(4)), 0, "node-1"));
    Job needs = world.submit(Specs.job("high").gpus(8));

    assertThat(apply(takes(needs, ended, victim))).isZero();

    assertThat(world.attempt(ended).state()).isEqualTo(AttemptState.SUCCEEDED);
    assertThat(world.attempt(victim).state()).isEqualTo(AttemptState.STOPPING);
  }

  @Test
  void preemptedAttemptSpendsNoRetry() {
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
  void releasedReservationIsRemoved() {
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
  void jobStartedElsewhereReleasesItsReservationInTheSameStep() {
    Attempt victim = world.run(world.place(world.submit(Specs.job("low").gpus(8)), 0, "node-1"));
    Job needs = world.submit(Specs.job("high").gpus(8));
    apply(takes(needs, victim));

    assertThat(apply(on("node-2", needs))).isZero();

    assertThat(stores.reservations().all()).isEmpty();
  }

  /** Fails when a placement is not compared with the reservations of others. */
  @Test
  void reservationOfADroppedStartGoesToNoJob() {
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

  /** Fails when the reservation ends although its start was lost, or remains after its start. */
  @Test
  void usedReservationEndsWithTheStartAndSurvivesAFailedStart() {
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
   * Fails when a job takes over a different reservation than in the plan: the gang has lost a node
   * since.
   */
  @Test
  void reservationRenewedByAFaultIsNotUsed() {
    Job gang = world.submit(Specs.job("gang").gpus(8));
    Reservation seen = afterFault(gang, world.now().minusSeconds(1));
    Reservation now = afterFault(gang);
    Job higher = world.submit(Specs.job("higher").gpus(8));

    assertThat(apply(on("node-2", higher, seen))).isEqualTo(1);

    assertThat(stores.reservations().all()).containsExactly(now);
  }

  /** Fails when the reservation ends although the victims were not stopped, or remains. */
  @Test
  void usedReservationEndsWithTheEvictionAndSurvivesAFailedOne() {
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

  /** Fails when a gang whose reservation was not transferred gets a worse reservation instead. */
  @Test
  void unusedReservationIsNotReplaced() {
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
  void twoJobsUsingTheSameVictimTellItOnce() {
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
