package dev.fairlead.work.placement.backfill;

import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.gang.ElementPlacer;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.ordering.EquivalenceClass;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.placement.routing.AdvanceReservationLookup;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.Windows;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Simulates the queues once, from the end of a cycle: running jobs end, and after each end waiting
 * jobs start in their order. The working copy is restored afterwards.
 */
final class QueuePlay {
  private final Reservations reservations;
  private final Ledger ledger;
  private final WorkBudget work;
  private final ElementPlacer placer;
  private final Instant asOf;
  private final Ends ends;
  private final AdvanceReservationLookup advanceReservations;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparing(Event::at).thenComparingInt(Event::number));
  private final Map<Wait, Instant> starts = new LinkedHashMap<>();
  private final List<Undo> gone = new ArrayList<>();
  private final List<Place> taken = new ArrayList<>();
  private final Set<Job> lifted = new LinkedHashSet<>();
  private int numbered;

  /**
   * @param work limit of the simulation. Jobs beyond it have no start
   */
  QueuePlay(Reservations reservations, Ledger ledger, WorkBudget work, Instant asOf, Ends ends) {
    this.reservations = reservations;
    this.ledger = ledger;
    this.work = work;
    this.asOf = asOf;
    this.ends = ends;
    advanceReservations =
        new AdvanceReservationLookup(
            reservations.fleet().advanceReservations(), reservations.admission().tree());
    placer = new ElementPlacer(reservations.admission(), ledger, work);
  }

  /** Ends of jobs, null for never. */
  interface Ends {
    /**
     * Returns the end of a running attempt that does not terminate yet, not before the time of the
     * cycle.
     */
    @Nullable Instant of(RunningAttempt running);

    /** Returns the end of a job that starts at that time. */
    @Nullable Instant of(Job job, Instant start);
  }

  /** A waiting job, in queue order. */
  record Wait(Job job, EquivalenceClass equivalenceClass) {}

  private record Event(Instant at, int number, Runnable end) {}

  /** The resources of a job that started in the simulation. */
  private static final class Place {
    private @Nullable Undo end;

    private Place(Undo end) {
      this.end = end;
    }

    private void give() {
      Undo given = end;
      end = null;
      if (given != null) {
        given.run();
      }
    }
  }

  /** Returns the starts of jobs, by time. Jobs that were not reached are omitted. */
  Map<Wait, Instant> play(List<Wait> waits) {
    ends();
    List<Wait> open = new ArrayList<>(waits);
    while (!events.isEmpty() && !open.isEmpty() && !work.spent()) {
      Instant now = events.element().at();
      while (!events.isEmpty() && events.element().at().equals(now)) {
        events.remove().end().run();
      }
      start(open, now);
    }
    taken.reversed().forEach(Place::give);
    gone.reversed().forEach(Undo::run);
    lifted.forEach(job -> reservations.restoreOf(job.id()));
    return starts;
  }

  private void ends() {
    advanceReservations.endsAfter(asOf).forEach(end -> event(end, () -> {}));
    for (RunningAttempt running : reservations.attempts().all()) {
      Attempt.StopOrder stop = running.attempt().stop();
      if (running.leaves()) {
        Instant left = stop == null || stop.deadline().isBefore(asOf) ? asOf : stop.deadline();
        event(left, () -> gone.add(reservations.ended(running)));
        continue;
      }
      if (running.shrinks()) {
        event(asOf, () -> gone.add(reservations.shrunk(running)));
      }
      Instant end = ends.of(running);
      if (end != null) {
        event(end, () -> gone.add(reservations.ended(running)));
      }
    }
  }

  private void event(Instant at, Runnable end) {
    events.add(new Event(at, numbered++, end));
  }

  private void start(List<Wait> open, Instant now) {
    Set<EquivalenceClass> refused = new LinkedHashSet<>();
    SortedSet<QuotaNodeId> blocked = new TreeSet<>();
    for (Iterator<Wait> rest = open.iterator(); rest.hasNext() && !work.spent(); ) {
      Wait wait = rest.next();
      QuotaNodeId queue = wait.job().queue();
      if (refused.contains(wait.equivalenceClass()) || blocked.contains(queue)) {
        continue;
      }
      work.spend(1); // charge this even if quota refuses the job and no node is evaluated
      if (starts(wait, now)) {
        starts.put(wait, now);
        rest.remove();
      } else {
        refused.add(wait.equivalenceClass());
        if (strict(queue)) {
          blocked.add(queue);
        }
      }
    }
  }

  /** Returns the assignments on which the job ends in time if it starts now. */
  private List<FlavorAssignment> open(Wait wait, Instant now) {
    List<FlavorAssignment> assignments = wait.equivalenceClass().assignments();
    Job job = wait.job();
    if (job.spec().deadline() == null && assignments.stream().allMatch(QueuePlay::always)) {
      return assignments;
    }
    return assignments.stream()
        .filter(assignment ->
            Windows.inTime(job, assignment.cluster(), reservations.admission().tree(), now))
        .toList();
  }

  private static boolean always(FlavorAssignment assignment) {
    return Windows.always(assignment.cluster());
  }

  private boolean starts(Wait wait, Instant now) {
    EquivalenceClass equivalenceClass = wait.equivalenceClass();
    boolean possible = equivalenceClass.supported() && equivalenceClass.hopeless().isEmpty();
    int mark = ledger.mark();
    reservations.liftOf(wait.job().id());
    boolean placed =
        possible
            && placer.start(
                    equivalenceClass.shape().queue(),
                    advanceReservations.at(equivalenceClass.shape().gang(), wait.job(), now),
                    open(wait, now))
                != null;
    if (!placed) {
      reservations.restoreOf(wait.job().id());
      return false;
    }
    lifted.add(wait.job());
    Place place = new Place(ledger.cut(mark));
    taken.add(place);
    Instant ended = ends.of(wait.job(), now);
    if (ended != null) {
      event(ended, place::give);
    }
    return true;
  }

  private boolean strict(QuotaNodeId queue) {
    return reservations
        .admission()
        .tree()
        .node(queue)
        .map(QuotaNode::queue)
        .filter(settings -> settings.order() == QueueSettings.Order.STRICT_FIFO)
        .isPresent();
  }
}
