package dev.fairlead.placement.backfill;

import dev.fairlead.attempt.Attempt;
import dev.fairlead.explanation.Explanation.Estimate;
import dev.fairlead.job.Job;
import dev.fairlead.job.Runtimes;
import dev.fairlead.placement.gang.ElementPlacer;
import dev.fairlead.placement.ledger.Ledger;
import dev.fairlead.placement.ledger.Undo;
import dev.fairlead.placement.ledger.WorkBudget;
import dev.fairlead.placement.ordering.EquivalenceClass;
import dev.fairlead.placement.reservation.Reservations;
import dev.fairlead.placement.reservation.RunningAttempt;
import dev.fairlead.placement.routing.FlavorAssignment;
import dev.fairlead.placement.routing.Windows;
import dev.fairlead.quota.QueueSettings;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
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
 * Plays the queues forward from the end of a cycle: running jobs end by their longest runtime, and
 * after each end waiting jobs start in their order, each for its own longest runtime. It consumes
 * the working copy, so it is the last step of a cycle.
 */
public final class StartTimeEstimator {
  /** Jobs that are played, from the first. */
  public static final int MOST = 2000;

  private static final String ASSUMPTION =
      "every job takes its longest runtime (its own or its queue's), and no job is added";

  private final Reservations reservations;
  private final Ledger ledger;
  private final WorkBudget work;
  private final ElementPlacer placer;
  private final Instant asOf;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparing(Event::at).thenComparingInt(Event::number));
  private final Map<EquivalenceClass, List<Instant>> starts = new LinkedHashMap<>();
  private int numbered;

  /**
   * @param work bounds the play; what is not reached has no estimate
   */
  public StartTimeEstimator(
      Reservations reservations, Ledger ledger, WorkBudget work, Instant asOf) {
    this.reservations = reservations;
    this.ledger = ledger;
    this.work = work;
    this.asOf = asOf;
    placer = new ElementPlacer(reservations.admission(), ledger, work);
  }

  /** A job that waits, in queue order. */
  public record Wait(Job job, EquivalenceClass equivalenceClass) {}

  private record Event(Instant at, int number, Undo end) {}

  /**
   * When half and when nine tenths of the jobs of a class have started; classes without an estimate
   * are left out.
   */
  public Map<EquivalenceClass, Estimate> play(List<Wait> waits) {
    ends();
    List<Wait> open = new ArrayList<>(waits);
    while (!events.isEmpty() && !open.isEmpty() && !work.spent()) {
      Instant now = events.element().at();
      while (!events.isEmpty() && events.element().at().equals(now)) {
        events.remove().end().run();
      }
      start(open, now);
    }
    Map<EquivalenceClass, Estimate> estimates = new LinkedHashMap<>();
    starts.forEach((equivalenceClass, times) -> {
      long count = equivalenceClass.pending();
      Instant half = at(times, count, 50);
      Instant most = at(times, count, 90);
      if (half != null && most != null) {
        estimates.put(equivalenceClass, new Estimate(half, most, ASSUMPTION));
      }
    });
    return estimates;
  }

  private static @Nullable Instant at(List<Instant> times, long count, int percent) {
    int index = (int) Math.ceilDiv(count * percent, 100L) - 1;
    return index < times.size() ? times.get(index) : null;
  }

  private void ends() {
    for (ExpectedCompletions.End end : ExpectedCompletions.of(reservations, asOf)) {
      if (end.at() != null) {
        event(end.at(), () -> reservations.ended(end.running()));
      }
    }
    for (RunningAttempt running : reservations.attempts().all()) {
      Attempt.StopOrder stop = running.attempt().stop();
      if (running.leaves()) {
        Instant gone = stop == null || stop.deadline().isBefore(asOf) ? asOf : stop.deadline();
        event(gone, () -> reservations.ended(running));
      } else if (running.shrinks()) {
        event(asOf, () -> reservations.shrunk(running));
      }
    }
  }

  private void event(Instant at, Undo end) {
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
      if (starts(wait, now)) {
        starts.computeIfAbsent(wait.equivalenceClass(), e -> new ArrayList<>()).add(now);
        rest.remove();
      } else {
        refused.add(wait.equivalenceClass());
        if (strict(queue)) {
          blocked.add(queue);
        }
      }
    }
  }

  /** Assignments on which the job ends in time when it starts then. */
  private List<FlavorAssignment> open(Wait wait, Instant now) {
    List<FlavorAssignment> assignments = wait.equivalenceClass().assignments();
    Job job = wait.job();
    if (job.spec().deadline() == null
        && assignments.stream().allMatch(StartTimeEstimator::always)) {
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
                    equivalenceClass.shape().gang(),
                    open(wait, now))
                != null;
    if (!placed) {
      reservations.restoreOf(wait.job().id());
      return false;
    }
    reservations.removeOf(wait.job().id());
    Undo end = ledger.cut(mark);
    Instant ended = Runtimes.end(wait.job(), reservations.admission().tree(), now);
    if (ended != null) {
      event(ended, end);
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
