package dev.fairlead.placement;

import dev.fairlead.cluster.ClusterState;
import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobState;
import dev.fairlead.job.Member;
import dev.fairlead.job.MemberKey;
import dev.fairlead.job.Reservation;
import dev.fairlead.placement.explain.Blockers;
import dev.fairlead.placement.gang.ElementPlacer;
import dev.fairlead.placement.ledger.ClusterCapacity;
import dev.fairlead.placement.ledger.Ledger;
import dev.fairlead.placement.ledger.NodeCapacity;
import dev.fairlead.placement.ledger.Undo;
import dev.fairlead.placement.ledger.WorkBudget;
import dev.fairlead.placement.ordering.EquivalenceClass;
import dev.fairlead.placement.ordering.PendingJobEntry;
import dev.fairlead.placement.ordering.PendingQueues;
import dev.fairlead.placement.preemption.Eviction;
import dev.fairlead.placement.reservation.Reservations;
import dev.fairlead.placement.reservation.RunningAttempt;
import dev.fairlead.placement.routing.FlavorAssignment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Jobs for which a place is kept: served before all others, and given one by evictions. */
final class ReservedStarts {
  private final Reservations holds;
  private final PendingQueues lines;
  private final ElementPlacer starter;
  private final Ledger ledger;
  private final Outcome outcome;
  private final Instant asOf;
  private final AvoidedStarts avoided;
  private final FaultRestart restart;

  ReservedStarts(
      Reservations holds,
      PendingQueues lines,
      ElementPlacer starter,
      Ledger ledger,
      Outcome outcome,
      Instant asOf,
      FaultRestart restart) {
    this.holds = holds;
    this.lines = lines;
    this.starter = starter;
    this.ledger = ledger;
    this.outcome = outcome;
    this.asOf = asOf;
    this.restart = restart;
    avoided = new AvoidedStarts(holds.fleet(), starter, ledger);
  }

  /**
   * Who has a place either starts, waits for it, or gives it up and waits as all others do. Places
   * by runtime are found anew in every cycle, but until then they stand as they were.
   *
   * @param first places that the last cycle did not reach: they come first among those of their
   *     kind
   */
  void serve(List<Reservation> reservations, List<Reservation.Key> first) {
    List<Place> valid = new ArrayList<>();
    List<Reservation> byKey = new ArrayList<>(reservations);
    byKey.sort(Comparator.comparing(Reservation::key));
    for (Reservation reservation : byKey) {
      Place place = asOf.isBefore(reservation.expiresAt()) ? place(reservation) : null;
      if (place != null) {
        valid.add(place);
      } else if (reservation.kind() != Reservation.Kind.BACKFILL) {
        outcome.release(reservation);
      }
    }
    Set<Reservation.Key> late = new TreeSet<>(first);
    valid.sort(
        Comparator.comparing((Place p) -> p.kept.kind() != Reservation.Kind.PREEMPTION)
            .thenComparing(p -> !late.contains(p.kept.key()))
            .thenComparingInt(p -> -p.job.priority())
            .thenComparing(p -> p.kept.createdAt())
            .thenComparing(p -> p.kept.key()));
    valid.forEach(p -> holds.add(p.kept, p.job));
    valid.stream().filter(Place::rests).forEach(p -> lines.keeps(p.job));
    WorkBudget.Part part = restart.begin();
    for (Place place : valid) {
      boolean toCome = place.kept.kind() == Reservation.Kind.BACKFILL;
      // one that was tried before it may have taken its place
      if (!toCome && holds.keeps(place.kept) && place.waiting != null) {
        serve(place.kept, place.waiting);
      }
    }
    part.end();
    valid.stream()
        .filter(p -> p.kept.kind() == Reservation.Kind.BACKFILL)
        .forEach(p -> holds.remove(p.kept.key()));
  }

  /** What is kept for a job that waits, rests for its back-off, or has still to leave first. */
  private record Place(
      Reservation kept, Job job, @Nullable PendingJobEntry waiting, boolean rests) {}

  /** Null when nobody wants it any more. */
  private @Nullable Place place(Reservation reservation) {
    PendingJobEntry waiting = lines.job(reservation.job());
    if (waiting != null && waiting.offers(reservation.element())) {
      boolean hopes =
          waiting.equalJobs().hopeless().isEmpty()
              && !closed(reservation, waiting)
              && !shut(reservation, waiting.equalJobs())
              && !drainsInVain(reservation);
      return hopes ? new Place(reservation, waiting.job(), waiting, false) : null;
    }
    Job rests =
        reservation.kind() == Reservation.Kind.FAULT
            ? lines.wants(reservation.job(), reservation.element())
            : null;
    if (rests != null) {
      return new Place(reservation, rests, null, true);
    }
    for (AttemptId victim : reservation.victims()) {
      RunningAttempt holder = holds.holders().of(victim);
      if (holder != null && moves(holder, reservation)) {
        return new Place(reservation, holder.job(), null, false);
      }
    }
    return null;
  }

  /** Whether nodes are drained beside one that takes nobody: others may do as well. */
  private boolean drainsInVain(Reservation reservation) {
    return reservation.kind() == Reservation.Kind.DRAIN
        && reservation.members().stream()
            .map(member -> holds.fleet().room(member.node()))
            .anyMatch(room -> room == null || !room.open());
  }

  /** Whether the window of its cluster closes too soon for it now. */
  private boolean closed(Reservation reservation, PendingJobEntry waiting) {
    SortedSet<String> closed = waiting.equalJobs().shape().gang().closed();
    return !closed.isEmpty()
        && holds.fleet().clusters().stream()
            .anyMatch(
                c -> c.cluster().id().equals(reservation.cluster()) && closed.contains(c.name()));
  }

  /**
   * Whether no route that is open to the job uses a node of the place: a tier has closed. A cluster
   * that takes nothing for a moment has no routes either, and ends no place.
   */
  private boolean shut(Reservation reservation, EquivalenceClass equalJobs) {
    if (!active(reservation)) {
      return false;
    }
    List<NodeCapacity> rooms = new ArrayList<>();
    for (Member member : reservation.members()) {
      NodeCapacity room = holds.fleet().room(member.node());
      if (room != null) {
        rooms.add(room);
      }
    }
    return !rooms.isEmpty()
        && equalJobs.routes().stream()
            .noneMatch(route -> rooms.stream().anyMatch(route.cluster()::has));
  }

  private boolean active(Reservation reservation) {
    return holds.fleet().clusters().stream()
        .map(ClusterCapacity::cluster)
        .anyMatch(c -> c.id().equals(reservation.cluster()) && c.state() == ClusterState.ACTIVE);
  }

  private static boolean moves(RunningAttempt holder, Reservation reservation) {
    JobState state = holder.job().state();
    return holder.job().id().equals(reservation.job())
        && holder.attempt().element() == reservation.element()
        && holder.leaves()
        && state != JobState.CANCELLING
        && state != JobState.SUSPENDED;
  }

  private void serve(Reservation reservation, PendingJobEntry waiting) {
    if (lines.lineOf(waiting).overLimits(waiting)) {
      holds.remove(reservation.key());
      outcome.release(reservation);
      return;
    }
    EquivalenceClass equalJobs = waiting.equalJobs();
    boolean fault = reservation.kind() == Reservation.Kind.FAULT;
    if (fault && restart.spent()) {
      postpone(reservation, waiting);
      return;
    }
    holds.lift(reservation.key());
    int mark = ledger.mark();
    Undo spares = fault ? restart.lendSpares() : () -> {};
    FlavorAssignment route = start(reservation, equalJobs);
    boolean room = route == null && fault && restart.othersLeave(waiting, reservation.element());
    spares.run();
    if (room) {
      return;
    }
    if (route != null) {
      holds.remove(reservation.key());
      outcome.place(waiting.job(), reservation.element(), route, ledger.since(mark), List.of());
      waiting.placed(reservation.element());
      equalJobs.waits(-1);
    } else {
      Blocker rest = rest(reservation, waiting);
      if (rest == null) {
        holds.remove(reservation.key());
        outcome.release(reservation);
        return;
      }
      holds.restore(reservation.key());
      waiting.waits(reservation.element(), rest);
    }
    settle(waiting);
  }

  /** Its place stands, and it comes first in the next cycle. */
  private void postpone(Reservation reservation, PendingJobEntry waiting) {
    waiting.waits(reservation.element(), Blockers.notEvaluated());
    outcome.postpone(reservation);
    if (waiting.done()) {
      outcome.notEvaluated(waiting.job());
    }
  }

  private @Nullable FlavorAssignment start(Reservation reservation, EquivalenceClass equalJobs) {
    return reservation.kind() == Reservation.Kind.FAULT
        ? restart.start(reservation, equalJobs)
        : starter.start(equalJobs.shape().queue(), equalJobs.shape().gang(), equalJobs.routes());
  }

  /** Null when the place is of no use. */
  private @Nullable Blocker rest(Reservation reservation, PendingJobEntry waiting) {
    if (reservation.kind() == Reservation.Kind.FAULT) {
      return restart.waits(reservation, cluster(reservation), waiting.equalJobs().routes());
    }
    return holds.cleared(reservation) ? avoided(reservation, waiting) : awaited(reservation);
  }

  private @Nullable Blocker avoided(Reservation reservation, PendingJobEntry waiting) {
    Instant until =
        avoided.startsAt(reservation, waiting.job().queue(), waiting.equalJobs().shape().gang());
    return until == null ? null : Blockers.keptButAvoided(cluster(reservation), until);
  }

  /**
   * An element starts on what is kept for others. False when it cannot start before those have left
   * who leave anyway; then all is kept as before.
   */
  boolean take(
      List<Reservation> places, PendingJobEntry waiting, int element, BooleanSupplier starts) {
    places.forEach(place -> holds.lift(place.key()));
    if (!starts.getAsBoolean()) {
      places.forEach(place -> holds.restore(place.key()));
      return false;
    }
    holds.remove(new Reservation.Key(waiting.job().id(), element));
    places.forEach(place -> holds.remove(place.key()));
    return true;
  }

  /** The place that the evictions make is the job's from now on. */
  void preempt(PendingJobEntry waiting, int element, Eviction eviction) {
    Job job = waiting.job();
    List<Decision.Preempt.Eviction> victims = new ArrayList<>();
    for (Eviction.Chosen chosen : eviction.victims()) {
      RunningAttempt holder = chosen.holder();
      victims.add(
          new Decision.Preempt.Eviction(
              holder.attempt().id(),
              holder.job().id(),
              chosen.right(),
              chosen.whole() ? List.of() : chosen.going().stream().map(MemberKey::of).toList()));
      if (!chosen.whole()) {
        holder.choose(chosen.going());
      }
    }
    eviction.places().forEach(place -> holds.remove(place.key()));
    Instant expires = asOf.plus(eviction.grace()).plus(RunningAttempt.PATIENCE);
    List<AttemptId> leave = victims.stream().map(Decision.Preempt.Eviction::attempt).toList();
    Reservation reservation =
        new Reservation(
            job.id(),
            element,
            Reservation.Kind.PREEMPTION,
            eviction.route().cluster().cluster().id(),
            Outcome.members(eviction.route(), eviction.members()),
            leave,
            asOf,
            null,
            expires);
    holds.remove(reservation.key());
    holds.add(reservation, job);
    List<Reservation> moved = new ArrayList<>();
    for (Eviction.Move move : eviction.moves()) {
      Reservation its =
          new Reservation(
              move.holder().job().id(),
              move.holder().attempt().element(),
              Reservation.Kind.PREEMPTION,
              move.route().cluster().cluster().id(),
              Outcome.members(move.route(), move.members()),
              leave,
              asOf,
              null,
              expires);
      holds.add(its, move.holder().job());
      moved.add(its);
    }
    moved.sort(Comparator.comparing(Reservation::key));
    outcome.preempt(
        new Decision.Preempt(
            job.id(), job.version(), victims, reservation, moved, eviction.places()));
    waiting.waits(element, awaited(reservation));
    settle(waiting);
  }

  private void settle(PendingJobEntry waiting) {
    Blocker rest = waiting.rest();
    if (waiting.done() && rest != null) {
      outcome.hold(waiting.job(), waiting.equalJobs(), List.of(rest));
    }
  }

  private Blocker awaited(Reservation reservation) {
    List<RunningAttempt> left = new ArrayList<>();
    long gpuMilli = 0;
    for (AttemptId victim : reservation.victims()) {
      RunningAttempt holder = holds.holders().of(victim);
      List<Member> going = holder == null ? List.of() : Reservations.awaited(reservation, holder);
      if (holder != null && !going.isEmpty()) {
        left.add(holder);
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
    return holds.fleet().clusters().stream()
        .filter(c -> c.cluster().id().equals(reservation.cluster()))
        .map(c -> c.name())
        .findFirst()
        .orElse("");
  }
}
