package dev.fairlead.work.placement;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.work.attempt.Reservation;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.Reason;
import dev.fairlead.work.job.CheckTransitions;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.FlavorSteps;
import dev.fairlead.work.placement.backfill.EarliestStart;
import dev.fairlead.work.placement.backfill.StartTimeEstimator;
import dev.fairlead.work.placement.blockers.Blockers;
import dev.fairlead.work.placement.consolidation.Consolidation;
import dev.fairlead.work.placement.consolidation.QuotaLeftovers;
import dev.fairlead.work.placement.consolidation.ReservedCapacityMigration;
import dev.fairlead.work.placement.elastic.GangRepairs;
import dev.fairlead.work.placement.elastic.Growth;
import dev.fairlead.work.placement.elastic.PendingDemand;
import dev.fairlead.work.placement.explain.Explainer;
import dev.fairlead.work.placement.gang.ElementPlacer;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.ordering.EquivalenceClass;
import dev.fairlead.work.placement.ordering.FairSharingOrder;
import dev.fairlead.work.placement.ordering.History;
import dev.fairlead.work.placement.ordering.PendingJobEntry;
import dev.fairlead.work.placement.ordering.PendingQueue;
import dev.fairlead.work.placement.ordering.PendingQueues;
import dev.fairlead.work.placement.preemption.Eviction;
import dev.fairlead.work.placement.preemption.Evictions;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempts;
import dev.fairlead.work.placement.routing.AdvanceReservations;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.Windows;
import dev.fairlead.work.placement.score.DefaultPolicy;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.spec.Deadline;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One cycle: orders the pending jobs, tries each of them, and explains why the others wait. */
final class Cycle {
  private static final int MOST_NEXT = 8;

  /** Each kind of estimate may spend a twentieth of the cycle's work budget. */
  private static final int ESTIMATES_PART = 20;

  /**
   * Moves may spend a tenth of the work budget, and so may gangs that lost a node, because other
   * jobs wait for them to finish.
   */
  private static final int MOVES_PART = 10;

  private static final int FAULTS_PART = 10;

  private final Snapshot snapshot;
  private final CycleCache cache;
  private final WorkBudget work;
  private final Ledger ledger = new Ledger();
  private final Admission admission;
  private final ElementPlacer placer;
  private final History history;
  private final PendingQueues queues;
  private final Evictions evictions;
  private final Consolidation consolidation;
  private final ReservedStarts reservedStarts;
  private final Reservations reservations;
  private final Backfill backfill;
  private final PendingDemand demand;
  private final AdvanceReservations advanceReservations;
  private final Growth growth;
  private final ReservedCapacityMigration movesBack;
  private final Outcome outcome;
  private final Preflights preflights;
  private boolean owed;

  Cycle(Snapshot snapshot, CycleCache cache) {
    this.snapshot = snapshot;
    this.cache = cache;
    World world = snapshot.world();
    work = new WorkBudget(Math.max(1, snapshot.workBudget()));
    Fleet fleet = Fleet.of(world, cache.clusters());
    DefaultPolicy.on(fleet, world);
    admission = new Admission(world.quotaNodes(), world.quotaUses(), world.asOf());
    advanceReservations = new AdvanceReservations(world.advanceReservations(), admission.tree());
    placer = new ElementPlacer(admission, ledger, work);
    history = new History(admission.tree(), world.pastUses(), world.live(), world.asOf());
    queues = new PendingQueues(world, admission, fleet, history, cache.jobs());
    reservations = new Reservations(fleet, admission, new RunningAttempts(world, fleet));
    outcome =
        new Outcome(
            new Explainer(reservations, ledger, work, world.asOf()),
            work,
            admission.tree(),
            new StartTimeEstimator(
                reservations, ledger, part(ESTIMATES_PART), world.asOf(), snapshot.reportedEnds()));
    evictions = new Evictions(reservations, ledger, work, queues::waitingGpus);
    consolidation = new Consolidation(reservations, ledger, work, part(MOVES_PART), world.asOf());
    /* Jobs with a reservation are tried first in every cycle and have a separate work budget. */
    ElementPlacer first =
        new ElementPlacer(admission, ledger, new WorkBudget(snapshot.workBudget()));
    preflights = new Preflights(world);
    FaultRestart restart = new FaultRestart(fleet, placer, work, part(FAULTS_PART), this::makeRoom);
    reservedStarts =
        new ReservedStarts(
            reservations, queues, first, ledger, outcome, world.asOf(), restart, preflights);
    backfill =
        new Backfill(
            reservations,
            new EarliestStart(reservations, ledger, work, world.asOf()),
            outcome,
            world.asOf(),
            world.reservations());
    demand = new PendingDemand(admission);
    growth = new Growth(reservations, ledger, work, world.asOf(), demand);
    movesBack =
        new ReservedCapacityMigration(world, reservations, ledger, work, part(MOVES_PART), demand);
  }

  /** Returns a part of the work budget, at least 1. */
  private long part(int of) {
    return Math.max(1, snapshot.workBudget() / of);
  }

  Plan run() {
    for (PendingQueues.Ineligible k : queues.ineligible()) {
      outcome.hold(k.row().job(), k.equivalenceClass(), k.why());
      if (Deadline.passed(k.row().job().spec(), snapshot.world().asOf())) {
        outcome.expire(k.row().job());
      } else if (k.row().failsByDependency()) {
        outcome.dependencyFailed(k.row());
      } else if (k.why().stream().allMatch(why -> why.reason() == Reason.ADMISSION_CHECK)) {
        ask(k.row().job());
      } else if (k.why().stream().allMatch(why -> why.reason() == Reason.BACKING_OFF)) {
        demand.add(k.equivalenceClass());
      }
    }
    snapshot.world().deadElements().forEach(outcome::elementsFailed);
    reservedStarts.serve(snapshot.world().reservations(), snapshot.postponed());
    repair();
    owed = true;
    for (JobId id : snapshot.first()) {
      PendingJobEntry waiting = queues.job(id);
      if (waiting != null) {
        serveFirst(waiting);
      }
    }
    owed = false;
    FairSharingOrder order =
        new FairSharingOrder(
            queues.all(), admission, history, queues.waitingGpus(), reservations.fleet().gpus());
    for (PendingQueue queue = order.next(); queue != null; queue = order.next()) {
      serveHead(queue);
      order.back(queue);
    }
    backfill.finish();
    new QuotaLeftovers(snapshot.world(), reservations).plan().forEach(outcome::leftover);
    resize();
    World world = snapshot.world();
    Plan plan =
        outcome
            .plan(world.asOf(), Contradictions.of(world, admission), snapshot.learned())
            .asking(queues.demand().byQueue());
    cache.update(queues.known(), reservations.fleet().cache());
    return plan;
  }

  /** Requests due checks of a job that only its checks hold back. */
  private void ask(Job job) {
    List<String> checks = admission.checks(job.queue());
    if (!CheckTransitions.due(job, checks, snapshot.world().asOf()).isEmpty()) {
      outcome.ask(job, checks);
    }
  }

  /**
   * Replaces lost members of running gangs. The other members hold their resources until the
   * replacement joins.
   */
  private void repair() {
    WorkBudget.Part part = work.part(part(FAULTS_PART));
    new GangRepairs(reservations, ledger, work, snapshot.world().asOf())
        .plan()
        .forEach(outcome::resize);
    part.end();
  }

  /** Moves jobs back and grows gangs only after every waiting job was tried. */
  private void resize() {
    growth.shrink().forEach(outcome::resize);
    if (outcome.allReached() && !work.spent()) {
      movesBack.plan(reservedStarts::moveBack);
      growth.grow().forEach(outcome::resize);
    }
  }

  /**
   * Tries all elements of a job that the last cycle did not reach. In a strict queue, the jobs
   * ahead of it are tried first.
   */
  private void serveFirst(PendingJobEntry waiting) {
    PendingQueue queue = queues.queueOf(waiting);
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
        || work.spent();
  }

  private void serve(PendingQueue queue, PendingJobEntry waiting) {
    EquivalenceClass equivalenceClass = waiting.equivalenceClass();
    PendingJob.Offer offer = waiting.offer();
    List<Reservation.Key> usable = backfill.usable(waiting.job());
    List<Blocker> limits = queue.limits(waiting);
    if (queue.blocked()) {
      hold(waiting, List.of(Blockers.behindHead(queue.node().name())));
    } else if (!limits.isEmpty()) { // other jobs may pass it, even in a strict queue
      outcome.hold(waiting.job(), waiting.equivalenceClass(), limits);
      waiting.finish();
    } else if (equivalenceClass.refused(usable.size()) || passedBy(queue, equivalenceClass)) {
      refuse(queue, waiting);
    } else if (work.spent() && !takesOwedTurn()) {
      outcome.notReached(waiting.job());
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
   * Starts the job, or frees capacity for it, preferring a move to an eviction. If the queue has a
   * flavor fallback, it does so flavor by flavor.
   */
  private boolean start(
      List<Reservation.Key> usable, PendingJobEntry waiting, PendingJob.Offer offer) {
    GangShape gang = waiting.equivalenceClass().shape().gang();
    List<FlavorAssignment> all = waiting.equivalenceClass().assignments();
    for (List<FlavorAssignment> assignments :
        FlavorSteps.of(admission.tree(), waiting.job().queue(), gang, all)) {
      if (placeBefore(usable, waiting, offer, assignments)
          || move(waiting, offer.index(), assignments)
          || preempt(waiting, offer.index(), assignments)) {
        return true;
      }
    }
    return false;
  }

  /** Frees capacity for a gang that already has most of its nodes. */
  private boolean makeRoom(PendingJobEntry waiting, int element) {
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
    usable.forEach(reservations::lend);
    if (tested != null) {
      reservations.lift(tested);
    }
    boolean placed = place(waiting, offer.index(), assignments, List.of());
    if (tested != null) {
      reservations.restore(tested);
    }
    usable.forEach(reservations::restore);
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
   * A head that can never start lets other jobs pass and is not tried. Trying it in every cycle
   * could spend a small work budget before the jobs after it.
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
    work.spend(1);
    if (!equivalenceClass.supported()) {
      return false;
    }
    int mark = ledger.mark();
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
      outcome.hold(waiting.job(), equivalenceClass, List.of(rest));
    }
    return true;
  }

  /**
   * Returns the next jobs in the queues. An elastic gang leaves each of them its minimum number of
   * members.
   */
  private List<ElementPlacer.Start> next(PendingJobEntry waiting) {
    return queues.after(waiting, MOST_NEXT).stream()
        .map(PendingJobEntry::equivalenceClass)
        .filter(Cycle::mayMakeRoom)
        .map(e -> new ElementPlacer.Start(e.shape().queue(), e.shape().gang(), e.assignments()))
        .toList();
  }

  /** Evicts other jobs so that this job can start on one of these assignments. */
  private boolean preempt(
      PendingJobEntry waiting, int element, List<FlavorAssignment> assignments) {
    EquivalenceClass equivalenceClass = waiting.equivalenceClass();
    work.spend(reservations.fleet().nodes()); // feasibility and blockers evaluate every node
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
   * Returns whether the job can still end in time after its victims have left. Otherwise it must
   * not preempt.
   */
  private boolean startsInTime(Job job, Eviction eviction) {
    Instant start = snapshot.world().asOf().plus(eviction.grace());
    List<NodeId> nodes = eviction.members().stream().map(m -> m.capacity().node().id()).toList();
    return Windows.inTime(job, eviction.assignment().cluster(), admission.tree(), start)
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
    outcome.hold(waiting.job(), waiting.equivalenceClass(), own);
    demand.add(waiting.equivalenceClass());
    waiting.finish();
  }
}
