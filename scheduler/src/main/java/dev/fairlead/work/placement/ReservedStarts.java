package dev.fairlead.work.placement;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.attempt.ReservationBuilder;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.attempt.member.MemberKey;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.Saving;
import dev.fairlead.work.job.submit.PreflightProgress;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.placement.gang.ElementPlacer;
import dev.fairlead.work.placement.ledger.ClusterCapacity;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.ordering.EquivalenceClass;
import dev.fairlead.work.placement.ordering.PendingJobEntry;
import dev.fairlead.work.placement.ordering.PendingQueues;
import dev.fairlead.work.placement.preemption.Eviction;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.spec.WarmMember;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves jobs that have a reservation before all others, and creates reservations for jobs that
 * evict others.
 */
final class ReservedStarts {
  private final Reservations reservations;
  private final PendingQueues queues;
  private final ElementPlacer placer;
  private final Ledger ledger;
  private final Outcome outcome;
  private final Instant asOf;
  private final AvoidedStarts avoided;
  private final FaultRestart restart;
  private final Preflights preflights;

  ReservedStarts(
      CycleState state, ElementPlacer placer, FaultRestart restart, Preflights preflights) {
    this.preflights = preflights;
    this.reservations = state.reservations();
    this.queues = state.queues();
    this.placer = placer;
    this.ledger = state.ledger();
    this.outcome = state.outcome();
    this.asOf = state.asOf();
    this.restart = restart;
    avoided = new AvoidedStarts(reservations.fleet(), placer, ledger);
  }

  /**
   * Starts each job with a reservation, lets it wait for its nodes, or releases its reservation. A
   * job without a reservation waits like all others. A reservation that is based on run times is
   * recomputed in every cycle, and remains valid until its recomputation.
   *
   * @param first reservations that the last cycle did not reach. They are served first among
   *     reservations of their kind
   */
  void serve(List<Reservation> stored, List<Reservation.Key> first) {
    List<ReservedStart> valid = new ArrayList<>();
    List<Reservation> byKey = new ArrayList<>(stored);
    byKey.sort(Comparator.comparing(Reservation::key));
    for (Reservation reservation : byKey) {
      ReservedStart start =
          asOf.isBefore(reservation.expiresAt()) ? reservedStart(reservation) : null;
      if (start != null) {
        valid.add(start);
      } else if (reservation.kind() != Reservation.Kind.BACKFILL) {
        outcome.release(reservation);
      }
    }
    Set<Reservation.Key> late = new TreeSet<>(first);
    valid.sort(
        Comparator.comparing(
                (ReservedStart s) -> s.reservation.kind() != Reservation.Kind.PREEMPTION)
            .thenComparing(s -> !late.contains(s.reservation.key()))
            .thenComparingInt(s -> -s.job.priority())
            .thenComparing(s -> s.reservation.createdAt())
            .thenComparing(s -> s.reservation.key()));
    valid.forEach(s -> reservations.add(s.reservation, s.job));
    valid.stream().filter(ReservedStart::rests).forEach(s -> queues.reserve(s.job));
    WorkBudget.Part part = restart.begin();
    for (ReservedStart start : valid) {
      boolean toCome = start.reservation.kind() == Reservation.Kind.BACKFILL;
      /* A job that was tried before may have taken this reservation. */
      if (!toCome && reservations.contains(start.reservation) && start.waiting != null) {
        serve(start.reservation, start.waiting);
      }
    }
    part.end();
    valid.stream()
        .filter(s -> s.reservation.kind() == Reservation.Kind.BACKFILL)
        .forEach(s -> reservations.remove(s.reservation.key()));
  }

  /** A reservation for a job that waits, backs off, or has attempts that must still leave. */
  private record ReservedStart(
      Reservation reservation, Job job, @Nullable PendingJobEntry waiting, boolean rests) {}

  /** Returns null if the reservation is no longer needed. */
  private @Nullable ReservedStart reservedStart(Reservation reservation) {
    PendingJobEntry waiting = queues.job(reservation.job());
    if (waiting != null && waiting.offers(reservation.element())) {
      boolean hopes =
          waiting.equivalenceClass().hopeless().isEmpty()
              && !closed(reservation, waiting)
              && !shut(reservation, waiting.equivalenceClass())
              && !nodeClosed(reservation);
      return hopes ? new ReservedStart(reservation, waiting.job(), waiting, false) : null;
    }
    Job rests =
        reservation.kind() == Reservation.Kind.FAULT
            ? queues.wants(reservation.job(), reservation.element())
            : null;
    if (rests != null) {
      return new ReservedStart(reservation, rests, null, true);
    }
    for (AttemptId victim : reservation.victims()) {
      RunningAttempt running = reservations.attempts().of(victim);
      if (running != null && moves(running, reservation)) {
        return new ReservedStart(reservation, running.job(), null, false);
      }
    }
    return null;
  }

  /**
   * Returns whether a node of the reservation is closed although the reservation needs all its
   * nodes, as for a drain or a test. Other kinds can use other nodes.
   */
  private boolean nodeClosed(Reservation reservation) {
    boolean needsAll =
        reservation.kind() == Reservation.Kind.DRAIN
            || reservation.kind() == Reservation.Kind.PREFLIGHT;
    return needsAll
        && reservation.members().stream()
            .map(member -> reservations.fleet().capacity(member.node()))
            .anyMatch(capacity -> capacity == null || !capacity.open());
  }

  /**
   * Returns whether the window of the cluster closes before the job can end, or a reserved node is
   * booked.
   */
  private boolean closed(Reservation reservation, PendingJobEntry waiting) {
    GangShape gang = waiting.equivalenceClass().shape().gang();
    boolean booked =
        !gang.booked().none()
            && reservation.members().stream().anyMatch(m -> gang.booked().has(m.node()));
    return booked
        || !gang.closed().isEmpty()
            && reservations.fleet().clusters().stream()
                .anyMatch(c ->
                    c.cluster().id().equals(reservation.cluster())
                        && gang.closed(c.name(), pool(reservation, c)));
  }

  /** Returns the pool of the cluster part if the reservation has nodes in it, else null. */
  private @Nullable NodePool pool(Reservation reservation, ClusterCapacity part) {
    return reservations.fleet().runsOn(reservation.cluster(), reservation.members(), part)
        ? part.pool()
        : null;
  }

  /**
   * Returns whether no assignment open to the job uses a reserved node, because a tier has closed.
   * A cluster that is temporarily not active has no assignments either, but this does not end a
   * reservation.
   */
  private boolean shut(Reservation reservation, EquivalenceClass equivalenceClass) {
    if (!active(reservation)) {
      return false;
    }
    List<NodeCapacity> capacities = new ArrayList<>();
    for (Member member : reservation.members()) {
      NodeCapacity capacity = reservations.fleet().capacity(member.node());
      if (capacity != null) {
        capacities.add(capacity);
      }
    }
    return !capacities.isEmpty()
        && equivalenceClass.assignments().stream()
            .noneMatch(assignment -> capacities.stream().anyMatch(assignment.cluster()::has));
  }

  private boolean active(Reservation reservation) {
    return reservations.fleet().clusters().stream()
        .map(ClusterCapacity::cluster)
        .anyMatch(c -> c.id().equals(reservation.cluster()) && c.state() == ClusterState.ACTIVE);
  }

  private static boolean moves(RunningAttempt running, Reservation reservation) {
    JobState state = running.job().state();
    return running.job().id().equals(reservation.job())
        && running.attempt().element() == reservation.element()
        && running.leaves()
        && state != JobState.CANCELLING
        && state != JobState.SUSPENDED;
  }

  private void serve(Reservation reservation, PendingJobEntry waiting) {
    if (queues.queueOf(waiting).overLimits(waiting)) {
      reservations.remove(reservation.key());
      outcome.release(reservation);
      return;
    }
    if (reservation.kind() == Reservation.Kind.PREFLIGHT) {
      serveTested(reservation, waiting);
      return;
    }
    EquivalenceClass equivalenceClass = waiting.equivalenceClass();
    boolean fault = reservation.kind() == Reservation.Kind.FAULT;
    if (fault && restart.spent()) {
      postpone(reservation, waiting);
      return;
    }
    reservations.lift(reservation.key());
    int mark = ledger.mark();
    Undo spares = fault ? restart.lendSpares() : () -> {};
    FlavorAssignment assignment = start(reservation, equivalenceClass);
    boolean othersLeave =
        assignment == null && fault && restart.othersLeave(waiting, reservation.element());
    spares.run();
    if (othersLeave) {
      return;
    }
    if (assignment != null) {
      reservations.remove(reservation.key());
      start(waiting, reservation.element(), assignment, mark, List.of());
    } else {
      Blocker rest = rest(reservation, waiting);
      if (rest == null) {
        reservations.remove(reservation.key());
        outcome.release(reservation);
        return;
      }
      reservations.restore(reservation.key());
      waiting.waits(reservation.element(), rest);
    }
    settle(waiting);
  }

  /**
   * Starts the job once its nodes have passed their tests. Releases the reservation if the tests
   * ended without success.
   */
  private void serveTested(Reservation place, PendingJobEntry waiting) {
    PreflightProgress tests = preflights.of(place, waiting.job());
    if (tests == null || tests.ends(asOf)) {
      reservations.remove(place.key());
      outcome.release(place);
      return;
    }
    reservations.lift(place.key());
    int mark = ledger.mark();
    FlavorAssignment assignment =
        tests.starts() ? restart.startOnOwn(place, waiting.equivalenceClass()) : null;
    if (assignment == null) {
      reservations.restore(place.key());
      waiting.waits(place.element(), Blockers.preflight(cluster(place), tests, tests.starts()));
    } else {
      reservations.remove(place.key());
      placed(waiting, place.element(), assignment, mark, List.of());
    }
    settle(waiting);
  }

  /**
   * Starts the element, or reserves its nodes while they are tested.
   *
   * @param mark mark of the ledger before the members were placed
   * @param taken reservations of other jobs that end with the start
   */
  void start(
      PendingJobEntry waiting,
      int element,
      FlavorAssignment assignment,
      int mark,
      List<Reservation> taken) {
    Job job = waiting.job();
    List<Member> members = Outcome.members(assignment, ledger.since(mark));
    if (preflights.letsStart(job, element, members)) {
      placed(waiting, element, assignment, mark, taken);
      return;
    }
    taken.forEach(outcome::release);
    Reservation place =
        preflights.place(job, element, assignment.cluster().cluster().id(), members);
    outcome.reserve(new Decision.Reserve(job.id(), job.version(), place));
    PreflightProgress tests = Objects.requireNonNull(preflights.of(place, job));
    waiting.waits(element, Blockers.preflight(assignment.cluster().name(), tests, false));
  }

  private void placed(
      PendingJobEntry waiting,
      int element,
      FlavorAssignment assignment,
      int mark,
      List<Reservation> taken) {
    outcome.place(waiting, element, assignment, ledger.since(mark), taken);
    waiting.placed(element);
    waiting.equivalenceClass().waits(-1);
  }

  /** Retains the reservation and puts it first in the next cycle. */
  private void postpone(Reservation reservation, PendingJobEntry waiting) {
    waiting.waits(reservation.element(), Blockers.notEvaluated());
    outcome.postpone(reservation);
    if (waiting.done()) {
      outcome.notEvaluated(waiting.job());
    }
  }

  private @Nullable FlavorAssignment start(
      Reservation reservation, EquivalenceClass equivalenceClass) {
    return reservation.kind() == Reservation.Kind.FAULT
        ? restart.start(reservation, equivalenceClass)
        : placer.start(
            equivalenceClass.shape().queue(),
            equivalenceClass.shape().gang(),
            equivalenceClass.assignments());
  }

  /**
   * Returns why the job must wait for its reserved nodes, or null if the reservation is useless.
   */
  private @Nullable Blocker rest(Reservation reservation, PendingJobEntry waiting) {
    if (reservation.kind() == Reservation.Kind.FAULT) {
      Instant tried = avoided.triedFrom(reservation, waiting.equivalenceClass().shape());
      return tried == null
          ? restart.waits(
              reservation, cluster(reservation), waiting.equivalenceClass().assignments())
          : Blockers.keptButAvoided(cluster(reservation), tried);
    }
    return reservations.cleared(reservation) ? avoided(reservation, waiting) : awaited(reservation);
  }

  private @Nullable Blocker avoided(Reservation reservation, PendingJobEntry waiting) {
    Instant until = avoided.startsAt(reservation, waiting.equivalenceClass().shape());
    return until == null ? null : Blockers.keptButAvoided(cluster(reservation), until);
  }

  /**
   * Starts an element on capacity that is reserved for other jobs. Returns false, and retains all
   * reservations, if the element must wait for attempts that are already leaving.
   */
  boolean take(
      List<Reservation> taken, PendingJobEntry waiting, int element, BooleanSupplier starts) {
    taken.forEach(each -> reservations.lift(each.key()));
    if (!starts.getAsBoolean()) {
      taken.forEach(each -> reservations.restore(each.key()));
      return false;
    }
    reservations.remove(new Reservation.Key(waiting.job().id(), element));
    taken.forEach(each -> reservations.remove(each.key()));
    return true;
  }

  /** Reserves the capacity that the evictions free for the job. */
  void preempt(PendingJobEntry waiting, int element, Eviction eviction) {
    Job job = waiting.job();
    List<Decision.Preempt.Eviction> victims = new ArrayList<>();
    for (Eviction.Chosen chosen : eviction.victims()) {
      RunningAttempt running = chosen.running();
      victims.add(
          new Decision.Preempt.Eviction(
              running.attempt().id(),
              running.job().id(),
              chosen.right(),
              chosen.whole() ? List.of() : chosen.going().stream().map(MemberKey::of).toList(),
              WarmMember.is(running.job().spec())));
      if (!chosen.whole()) {
        running.choose(chosen.going());
      }
    }
    eviction.reservations().forEach(each -> reservations.remove(each.key()));
    Instant expires = asOf.plus(eviction.grace()).plus(RunningAttempt.PATIENCE);
    List<AttemptId> leave = victims.stream().map(Decision.Preempt.Eviction::attempt).toList();
    Reservation reservation =
        ReservationBuilder.builder()
            .job(job.id())
            .element(element)
            .kind(Reservation.Kind.PREEMPTION)
            .cluster(eviction.assignment().cluster().cluster().id())
            .members(Outcome.members(eviction.assignment(), eviction.members()))
            .victims(leave)
            .createdAt(asOf)
            .startsAt(null)
            .expiresAt(expires)
            .build();
    reservations.remove(reservation.key());
    reservations.add(reservation, job);
    List<Reservation> moved = new ArrayList<>();
    for (Eviction.Move move : eviction.moves()) {
      moved.add(keep(move, leave, expires));
    }
    moved.sort(Comparator.comparing(Reservation::key));
    outcome.preempt(
        new Decision.Preempt(
            job.id(), job.version(), victims, reservation, moved, eviction.reservations()));
    waiting.waits(element, awaited(reservation));
    settle(waiting);
  }

  /** Reserves the new nodes of a job that moves. */
  private Reservation keep(Eviction.Move move, List<AttemptId> leave, Instant expires) {
    Reservation its =
        ReservationBuilder.builder()
            .job(move.running().job().id())
            .element(move.running().attempt().element())
            .kind(Reservation.Kind.PREEMPTION)
            .cluster(move.assignment().cluster().cluster().id())
            .members(Outcome.members(move.assignment(), move.members()))
            .victims(leave)
            .createdAt(asOf)
            .startsAt(null)
            .expiresAt(expires)
            .build();
    reservations.add(its, move.running().job());
    return its;
  }

  /** Ends a running job and reserves its new nodes. */
  void moveBack(Eviction.Move move, Saving saving) {
    Job job = move.running().job();
    AttemptId attempt = move.running().attempt().id();
    Instant expires =
        asOf.plus(job.spec().preemption().stopsWithin()).plus(RunningAttempt.PATIENCE);
    Reservation its = keep(move, List.of(attempt), expires);
    outcome.moveBack(new Decision.MoveBack(job.id(), job.version(), attempt, its, saving));
  }

  private void settle(PendingJobEntry waiting) {
    Blocker rest = waiting.rest();
    if (waiting.done() && rest != null) {
      outcome.hold(waiting.job(), waiting.equivalenceClass(), List.of(rest));
    }
  }

  private Blocker awaited(Reservation reservation) {
    List<RunningAttempt> left = new ArrayList<>();
    long gpuMilli = 0;
    for (AttemptId victim : reservation.victims()) {
      RunningAttempt running = reservations.attempts().of(victim);
      List<Member> going = running == null ? List.of() : Reservations.awaited(reservation, running);
      if (running != null && !going.isEmpty()) {
        left.add(running);
        gpuMilli += going.stream().mapToLong(m -> m.request().gpuMilli()).sum();
      }
    }
    long shrinking = left.stream().filter(RunningAttempt::shrinks).count();
    String cluster = cluster(reservation);
    return reservation.kind() == Reservation.Kind.PREEMPTION
        ? Blockers.waitingForVictims(cluster, left.size(), shrinking, gpuMilli)
        : Blockers.drained(cluster, left.size(), gpuMilli);
  }

  private String cluster(Reservation reservation) {
    return reservations.fleet().clusters().stream()
        .filter(c -> c.cluster().id().equals(reservation.cluster()))
        .map(c -> c.name())
        .findFirst()
        .orElse("");
  }
}
