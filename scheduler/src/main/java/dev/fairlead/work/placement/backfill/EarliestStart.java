package dev.fairlead.work.placement.backfill;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.attempt.Attempt;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.gang.GangPlacer;
import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.ledger.WorkBudget;
import dev.fairlead.work.placement.node.NodeAllocation;
import dev.fairlead.work.placement.node.Undo;
import dev.fairlead.work.placement.reservation.Reservations;
import dev.fairlead.work.placement.reservation.RunningAttempt;
import dev.fairlead.work.placement.routing.AdvanceReservationLookup;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.Windows;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the earliest time and the nodes for the minimum size of a job. It assumes that running
 * attempts end one after another by their maximum runtime (EASY backfill, Lifka 1995: a reservation
 * for the first waiting job), and that advance reservations end. It does not wait for quota: only
 * assignments that quota admits now count.
 */
public final class EarliestStart {
  private final Reservations reservations;
  private final Ledger ledger;
  private final WorkBudget work;
  private final GangPlacer placer;
  private final AdvanceReservationLookup advanceReservations;
  private final Instant asOf;
  private final Deque<Undo> gone = new ArrayDeque<>();
  private @Nullable List<Step> steps;

  /**
   * The next event: an attempt or an advance reservation ends.
   *
   * @param running null for an advance reservation
   * @param at null = unknown, which counts as never
   */
  private record Step(@Nullable RunningAttempt running, @Nullable Instant at) {}

  public EarliestStart(Reservations reservations, Ledger ledger, WorkBudget work, Instant asOf) {
    this.reservations = reservations;
    this.ledger = ledger;
    this.work = work;
    this.asOf = asOf;
    placer = new GangPlacer(ledger, work);
    advanceReservations =
        new AdvanceReservationLookup(
            reservations.fleet().advanceReservations(), reservations.admission().tree());
  }

  /**
   * A future node assignment.
   *
   * @param at when the nodes can be free, null if some attempt may run forever
   * @param awaited attempts on the nodes that have to end first
   */
  public record Found(
      FlavorAssignment assignment,
      List<NodeAllocation> members,
      @Nullable Instant at,
      List<AttemptId> awaited) {
    public Found {
      members = List.copyOf(members);
      awaited = List.copyOf(awaited);
    }
  }

  /**
   * Returns null if quota admits the job nowhere, if the job would not fit an idle fleet either, or
   * if it could no longer end before its deadline or before the window of the cluster closes.
   *
   * @param evenUnknown whether nodes of attempts without a known end count
   */
  public @Nullable Found of(
      Job job, JobShape shape, List<FlavorAssignment> assignments, boolean evenUnknown) {
    List<FlavorAssignment> open = new ArrayList<>();
    for (FlavorAssignment assignment : assignments) {
      if (reservations
          .admission()
          .admits(
              shape.queue(), Charges.expected(shape.gang(), assignment, shape.gang().counts(0)))) {
        open.add(assignment);
      }
    }
    if (open.isEmpty()) {
      return null;
    }
    Undo present = reservations.future();
    try {
      Found found = search(job, shape, open, evenUnknown);
      while (found != null && !inTime(job, found)) {
        open.remove(found.assignment());
        found = open.isEmpty() ? null : search(job, shape, open, evenUnknown);
      }
      return found;
    } finally {
      move(0);
      present.run();
    }
  }

  private boolean inTime(Job job, Found found) {
    Instant start = found.at() == null ? asOf : found.at();
    List<NodeId> nodes = found.members().stream().map(m -> m.capacity().node().id()).toList();
    return Windows.inTime(job, found.assignment().cluster(), reservations.admission().tree(), start)
        && advanceReservations.admit(job, nodes, start);
  }

  private @Nullable Found search(
      Job job, JobShape shape, List<FlavorAssignment> assignments, boolean evenUnknown) {
    List<Step> all = steps();
    int known = 0;
    while (known < all.size() && all.get(known).at() != null) {
      known++;
    }
    int ended = least(job, shape, assignments, 0, known);
    if (ended < 0 && evenUnknown && known < all.size()) {
      ended = least(job, shape, assignments, known + 1, all.size());
    }
    FlavorAssignment assignment = ended < 0 ? null : assignment(job, shape, assignments, ended);
    return assignment == null ? null : found(job, shape, assignment, ended);
  }

  /**
   * Finds the minimum number of attempts that have to end, between two numbers, or -1 if even all
   * do not suffice. Since a few usually suffice, it searches upward in growing steps and then
   * bisects the last interval. If an advance reservation begins in that time, the result fits, but
   * an earlier start may be missed.
   */
  private int least(Job job, JobShape shape, List<FlavorAssignment> assignments, int from, int to) {
    int low = from;
    int high = from;
    for (int step = 1; assignment(job, shape, assignments, high) == null; step *= 2) {
      if (high == to) {
        return -1;
      }
      low = high + 1;
      high = work.spent() ? to : Math.min(to, high + step);
    }
    while (low < high && !work.spent()) {
      int middle = (low + high) >>> 1;
      if (assignment(job, shape, assignments, middle) != null) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

  /** Returns the first assignment that has nodes after this many attempts have ended. */
  private @Nullable FlavorAssignment assignment(
      Job job, JobShape shape, List<FlavorAssignment> assignments, int ended) {
    move(ended);
    GangShape gang = gang(job, shape, ended);
    for (FlavorAssignment assignment : assignments) {
      int mark = ledger.mark();
      boolean fits = placer.place(assignment, gang, gang.counts(0));
      ledger.undo(mark);
      if (fits) {
        return assignment;
      }
    }
    return null;
  }

  /**
   * Returns the gang with the nodes that advance reservations close to it after this many attempts
   * have ended.
   */
  private GangShape gang(Job job, JobShape shape, int ended) {
    Instant at = ended == 0 ? asOf : steps().get(ended - 1).at();
    return advanceReservations.at(shape.gang(), job, at == null ? asOf : at);
  }

  private Found found(Job job, JobShape shape, FlavorAssignment assignment, int ended) {
    GangShape gang = gang(job, shape, ended);
    int mark = ledger.mark();
    placer.place(assignment, gang, gang.counts(0));
    List<NodeAllocation> members = ledger.since(mark);
    ledger.undo(mark);
    SortedSet<NodeId> nodes = new TreeSet<>();
    members.forEach(member -> nodes.add(member.capacity().node().id()));
    List<AttemptId> awaited = new ArrayList<>();
    Instant at = asOf;
    for (RunningAttempt running : reservations.attempts().all()) {
      if (running.leaves() && on(running, nodes)) {
        awaited.add(running.attempt().id());
        Instant left = left(running);
        at = left.isAfter(at) ? left : at;
      }
    }
    for (Step step : steps().subList(0, ended)) {
      RunningAttempt running = step.running();
      if (running != null && !running.leaves() && on(running, nodes)) {
        awaited.add(running.attempt().id());
      }
    }
    Instant last = ended == 0 ? at : steps().get(ended - 1).at();
    return new Found(assignment, members, last == null || last.isAfter(at) ? last : at, awaited);
  }

  /** Returns when a terminating attempt has left, including an attempt that this cycle preempts. */
  private Instant left(RunningAttempt running) {
    Attempt.StopOrder stop = running.attempt().stop();
    return stop == null
        ? asOf.plus(running.job().spec().preemption().stopsWithin())
        : stop.deadline();
  }

  private static boolean on(RunningAttempt running, SortedSet<NodeId> nodes) {
    return running.attempt().members().stream().anyMatch(m -> nodes.contains(m.node()));
  }

  private void move(int ended) {
    work.spend(Math.abs(ended - gone.size()));
    while (gone.size() < ended) {
      RunningAttempt next = steps().get(gone.size()).running();
      /* An attempt that was preempted after the ends were sorted has already left. */
      gone.push(next == null ? () -> {} : next.vacate(next.leaves() ? List.of() : next.rest()));
    }
    while (gone.size() > ended) {
      gone.pop().run();
    }
  }

  private List<Step> steps() {
    List<Step> known = steps;
    if (known == null) {
      known = new ArrayList<>();
      for (ExpectedCompletions.End end : ExpectedCompletions.of(reservations, asOf)) {
        known.add(new Step(end.running(), end.at()));
      }
      for (Instant end : advanceReservations.endsAfter(asOf)) {
        known.add(new Step(null, end));
      }
      known.sort(Comparator.comparing(Step::at, Comparator.nullsLast(Comparator.naturalOrder())));
      steps = known;
    }
    return known;
  }
}
