package dev.fairlead.work.placement;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.admission.FlavorSteps;
import dev.fairlead.work.placement.backfill.EarliestStart;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.consolidation.Consolidation;
import dev.fairlead.work.placement.gang.ElementPlacer;
import dev.fairlead.work.placement.ordering.EquivalenceClass;
import dev.fairlead.work.placement.ordering.FairSharingOrder;
import dev.fairlead.work.placement.ordering.PendingJobEntry;
import dev.fairlead.work.placement.ordering.PendingQueue;
import dev.fairlead.work.placement.preemption.Eviction;
import dev.fairlead.work.placement.preemption.Evictions;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.routing.AdvanceReservationLookup;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.Windows;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.world.PendingJob;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tries the waiting jobs, queue by queue in the order of fair sharing. A job starts, frees capacity
 * for itself, or waits with its reasons.
 */
final class PendingStarts {
  private static final int MOST_NEXT = 8;

  private final CycleState state;
  private final ReservedStarts reservedStarts;
  private final Preflights preflights;
  private final ElementPlacer placer;
  private final Evictions evictions;
  private final Consolidation consolidation;
  private final Backfill backfill;
  private final AdvanceReservationLookup advanceReservations;
  private boolean owed;

  /**
   * @param moves node evaluations that moves may spend
   */
  PendingStarts(
      CycleState state, ReservedStarts reservedStarts, Preflights preflights, long moves) {
    this.state = state;
    this.reservedStarts = reservedStarts;
    this.preflights = preflights;
    Reservations reservations = state.reservations();
    placer = new ElementPlacer(state.admission(), state.ledger(), state.work());
    evictions =
        new Evictions(reservations, state.ledger(), state.work(), state.queues()::waitingGpus);
    consolidation =
        new Consolidation(reservations, state.ledger(), state.work(), moves, state.asOf());
    backfill =
        new Backfill(
            reservations,
            new EarliestStart(reservations, state.ledger(), state.work(), state.asOf()),
            state.outcome(),
            state.asOf(),
            state.world().reservations());
    advanceReservations =
        new AdvanceReservationLookup(state.world().advanceReservations(), state.admission().tree());
  }

  /** Tries the jobs that the last cycle did not reach. */
  void tryNotReached() {
    owed = true;
    for (JobId id : state.snapshot().first()) {
      PendingJobEntry waiting = state.queues().job(id);
      if (waiting != null) {
        serveFirst(waiting);
      }
    }
    owed = false;
  }

  /** Tries every other job and releases the reservations that none of them needs. */
  void tryAll() {
    FairSharingOrder order = state.queues().fairOrder(state.reservations().fleet().gpus());
    for (PendingQueue queue = order.next(); queue != null; queue = order.next()) {
      serveHead(queue);
      order.back(queue);
    }
    backfill.finish();
  }

  /**
   * Tries all elements of a job that the last cycle did not reach. In a strict queue, jobs ahead of
   * this job are tried first.
   */
  private void serveFirst(PendingJobEntry waiting) {
    PendingQueue queue = state.queues().queueOf(waiting);
    PendingJobEntry head = queue.head();
    while (queue.strict() && !waiting.done() && head != null) {
      serve(queue, head);
      head = queue.head();
    }
    while (!waiting.done()) {
      serve(queue, waiting);
    }
  }

  /** Tries one element of the head, then all later elements that are already decided. */
  private void serveHead(PendingQueue queue) {
    PendingJobEntry head = queue.head();
    if (head != null) {
      serve(queue, head);
    }
    for (head = queue.head(); head != null && decided(queue, head); head = queue.head()) {
      serve(queue, head);
    }
  }

  private boolean decided(PendingQueue queue, PendingJobEntry waiting) {
    return queue.blocked()
        || queue.overLimits(waiting)
        || waiting.equivalenceClass().refused(backfill.usable(waiting.job()).size())
        || state.work().spent();
  }

  private void serve(PendingQueue queue, PendingJobEntry waiting) {
    EquivalenceClass equivalenceClass = waiting.equivalenceClass();
    PendingJob.Offer offer = waiting.offer();
    List<Reservation.Key> usable = backfill.usable(waiting.job());
    List<Blocker> limits = queue.limits(waiting);
    if (queue.blocked()) {
      hold(waiting, List.of(Blockers.behindHead(queue.node().name())));
    } else if (!limits.isEmpty()) { // other jobs may pass it, even in a strict queue
      state.outcome().hold(waiting.job(), waiting.equivalenceClass(), limits);
      waiting.finish();
    } else if (equivalenceClass.refused(usable.size()) || passedBy(queue, equivalenceClass)) {
      refuse(queue, waiting);
    } else if (state.work().spent() && !takesOwedTurn()) {
      state.outcome().notReached(waiting.job());
      waiting.finish();
    } else if (offer == null || !start(usable, waiting, offer)) {
      equivalenceClass.refuse(usable.size());
      refuse(queue, waiting);
      if (offer != null) {
        backfill.refused(waiting, offer.index());
      }
    }
  }

  /**
   * Starts the job or frees capacity, preferring a move to an eviction. If the queue has a flavor
   * fallback, it does so flavor by flavor.
   */
  private boolean start(
      List<Reservation.Key> usable, PendingJobEntry waiting, PendingJob.Offer offer) {
    GangShape gang = waiting.equivalenceClass().shape().gang();
    List<FlavorAssignment> all = waiting.equivalenceClass().assignments();
    for (List<FlavorAssignment> assignments :
        FlavorSteps.of(state.admission().tree(), waiting.job().queue(), gang, all)) {
      if (placeBefore(usable, waiting, offer, assignments)
          || move(waiting, offer.index(), assignments)
          || preempt(waiting, offer.index(), assignments)) {
        return true;
      }
    }
    return false;
  }

  /** Frees capacity for a gang that already has most of its nodes. */
  boolean makeRoom(PendingJobEntry waiting, int element) {
    List<FlavorAssignment> all = waiting.equivalenceClass().assignments();
    return move(waiting, element, all)
        || evictions.allowed(waiting.job()) && preempt(waiting, element, all);
  }

  private boolean move(PendingJobEntry waiting, int element, List<FlavorAssignment> assignments) {
    EquivalenceClass equivalenceClass = waiting.equivalenceClass();
    return mayMakeRoom(equivalenceClass)
        && leave(
            waiting,
            element,
            consolidation.plan(waiting.job(), equivalenceClass.shape().gang(), assignments));
  }

  /**
   * Places the job. It may use nodes that are reserved for other jobs if it ends before they need
   * them, or if it tests the nodes for the job that reserved them.
   */
  private boolean placeBefore(
      List<Reservation.Key> usable,
      PendingJobEntry waiting,
      PendingJob.Offer offer,
      List<FlavorAssignment> assignments) {
    Reservation.Key tested = preflights.testedBy(waiting.job().id());
    usable.forEach(state.reservations()::lend);
    if (tested != null) {
      state.reservations().lift(tested);
    }
    boolean placed = place(waiting, offer.index(), assignments, List.of());
    if (tested != null) {
      state.reservations().restore(tested);
    }
    usable.forEach(state.reservations()::restore);
    return placed;
  }

  /**
   * Reserved starts are tried first and may spend the whole work budget. Even then, one job that
   * the last cycle did not reach is tried, so every such job is tried eventually.
   */
  private boolean takesOwedTurn() {
    boolean its = owed;
    owed = false;
    return its;
  }

  /**
   * A head that can never start is not tried, and does not block other jobs. Trying it in every
   * cycle could spend a small work budget before the jobs after it.
   */
  private static boolean passedBy(PendingQueue queue, EquivalenceClass equivalenceClass) {
    return queue.strict() && !equivalenceClass.hopeless().isEmpty();
  }

  /**
   * @param taken reservations of other jobs that end with this placement
   */
  private boolean place(
      PendingJobEntry waiting,
      int element,
      List<FlavorAssignment> assignments,
      List<Reservation> taken) {
    EquivalenceClass equivalenceClass = waiting.equivalenceClass();
    state.work().spend(1);
    if (!equivalenceClass.supported()) {
      return false;
    }
    int mark = state.ledger().mark();
    ElementPlacer.Start wanted =
        new ElementPlacer.Start(
            equivalenceClass.shape().queue(), equivalenceClass.shape().gang(), assignments);
    FlavorAssignment assignment = placer.start(wanted, () -> next(waiting));
    if (assignment == null) {
      return false;
    }
    reservedStarts.start(waiting, element, assignment, mark, taken);
    Blocker rest = waiting.rest();
    if (waiting.done() && rest != null) {
      state.outcome().hold(waiting.job(), equivalenceClass, List.of(rest));
    }
    return true;
  }

  /**
   * Returns the next jobs in the state.queues(). An elastic gang leaves each later job its minimum
   * number of members.
   */
  private List<ElementPlacer.Start> next(PendingJobEntry waiting) {
    return state.queues().after(waiting, MOST_NEXT).stream()
        .map(PendingJobEntry::equivalenceClass)
        .filter(PendingStarts::mayMakeRoom)
        .map(e -> new ElementPlacer.Start(e.shape().queue(), e.shape().gang(), e.assignments()))
        .toList();
  }

  /** Evicts other jobs so that this job can start on one of these assignments. */
  private boolean preempt(
      PendingJobEntry waiting, int element, List<FlavorAssignment> assignments) {
    EquivalenceClass equivalenceClass = waiting.equivalenceClass();
    state
        .work()
        .spend(
            state.reservations().fleet().nodes()); // feasibility and blockers evaluate every node
    return mayMakeRoom(equivalenceClass)
        && leave(
            waiting,
            element,
            evictions.plan(waiting.job(), equivalenceClass.shape().gang(), assignments));
  }

  private static boolean mayMakeRoom(EquivalenceClass equivalenceClass) {
    return equivalenceClass.supported() && equivalenceClass.hopeless().isEmpty();
  }

  /** Stops or moves the victims. Without victims, the job starts immediately. */
  private boolean leave(PendingJobEntry waiting, int element, @Nullable Eviction eviction) {
    if (eviction == null || !startsInTime(waiting.job(), eviction)) {
      return false;
    }
    if (eviction.victims().isEmpty()) {
      List<FlavorAssignment> there = List.of(eviction.assignment());
      List<Reservation> taken = eviction.reservations();
      return reservedStarts.take(
          taken, waiting, element, () -> place(waiting, element, there, taken));
    }
    evictions.leave(eviction);
    backfill.preempts(waiting.job(), element);
    reservedStarts.preempt(waiting, element, eviction);
    return true;
  }

  /**
   * Returns whether the job can still end in time after its victims have left. A job that cannot
   * must not preempt.
   */
  private boolean startsInTime(Job job, Eviction eviction) {
    Instant start = state.asOf().plus(eviction.grace());
    List<NodeId> nodes = eviction.members().stream().map(m -> m.capacity().node().id()).toList();
    return Windows.inTime(job, eviction.assignment().cluster(), state.admission().tree(), start)
        && advanceReservations.admit(job, nodes, start);
  }

  /** Holds the job. A job that could never start does not block the queue behind it. */
  private void refuse(PendingQueue queue, PendingJobEntry waiting) {
    hold(waiting, List.of());
    if (queue.strict() && waiting.equivalenceClass().hopeless().isEmpty()) {
      queue.block();
    }
  }

  private void hold(PendingJobEntry waiting, List<Blocker> own) {
    state.outcome().hold(waiting.job(), waiting.equivalenceClass(), own);
    state.demand().add(waiting.equivalenceClass());
    waiting.finish();
  }
}
