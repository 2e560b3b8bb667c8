package dev.fairlead.placement.backfill;

import dev.fairlead.cluster.NodeId;
import dev.fairlead.job.Attempt;
import dev.fairlead.job.AttemptId;
import dev.fairlead.job.Job;
import dev.fairlead.placement.admission.Charges;
import dev.fairlead.placement.gang.GangPlacer;
import dev.fairlead.placement.ledger.Ledger;
import dev.fairlead.placement.ledger.NodeAllocation;
import dev.fairlead.placement.ledger.Undo;
import dev.fairlead.placement.ledger.WorkBudget;
import dev.fairlead.placement.reservation.Reservations;
import dev.fairlead.placement.reservation.RunningAttempt;
import dev.fairlead.placement.routing.FlavorAssignment;
import dev.fairlead.placement.routing.Windows;
import dev.fairlead.placement.shape.JobShape;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * When and where the fewest members of a job find nodes at the earliest, as running attempts end by
 * their longest runtime one after another (EASY backfill, Lifka 1995: a place for the first that
 * waits). Quota is not waited for: only routes that it admits now count.
 */
public final class EarliestStart {
  private final Reservations holds;
  private final Ledger ledger;
  private final WorkBudget work;
  private final GangPlacer placer;
  private final Instant asOf;
  private final Deque<Undo> gone = new ArrayDeque<>();
  private @Nullable List<ExpectedCompletions.End> ends;

  public EarliestStart(Reservations holds, Ledger ledger, WorkBudget work, Instant asOf) {
    this.holds = holds;
    this.ledger = ledger;
    this.work = work;
    this.asOf = asOf;
    placer = new GangPlacer(ledger, work);
  }

  /**
   * A place to come.
   *
   * @param at when it can be free, null where some attempt may run for ever
   * @param awaited attempts on its nodes that have to end first
   */
  public record Found(
      FlavorAssignment route,
      List<NodeAllocation> members,
      @Nullable Instant at,
      List<AttemptId> awaited) {
    public Found {
      members = List.copyOf(members);
      awaited = List.copyOf(awaited);
    }
  }

  /**
   * Null when quota admits it nowhere, when it would not fit either if nobody ran, and when it
   * could not end in time any more: before its deadline, or before the window of the cluster
   * closes.
   *
   * @param evenUnknown also a place that attempts hold whose end is not known
   */
  public @Nullable Found of(
      Job job, JobShape shape, List<FlavorAssignment> routes, boolean evenUnknown) {
    List<FlavorAssignment> open = new ArrayList<>();
    for (FlavorAssignment route : routes) {
      if (holds
          .admission()
          .admits(shape.queue(), Charges.expected(shape.gang(), route, shape.gang().counts(0)))) {
        open.add(route);
      }
    }
    if (open.isEmpty()) {
      return null;
    }
    Undo present = holds.future();
    try {
      Found found = search(shape, open, evenUnknown);
      while (found != null && !inTime(job, found)) {
        open.remove(found.route());
        found = open.isEmpty() ? null : search(shape, open, evenUnknown);
      }
      return found;
    } finally {
      move(0);
      present.run();
    }
  }

  private boolean inTime(Job job, Found found) {
    Instant start = found.at() == null ? asOf : found.at();
    return Windows.inTime(job, found.route().cluster().cluster(), holds.admission().tree(), start);
  }

  private @Nullable Found search(
      JobShape shape, List<FlavorAssignment> routes, boolean evenUnknown) {
    List<ExpectedCompletions.End> all = ends();
    int known = 0;
    while (known < all.size() && all.get(known).at() != null) {
      known++;
    }
    int ended = least(shape, routes, 0, known);
    if (ended < 0 && evenUnknown && known < all.size()) {
      ended = least(shape, routes, known + 1, all.size());
    }
    FlavorAssignment route = ended < 0 ? null : route(shape, routes, ended);
    return route == null ? null : found(shape, route, ended);
  }

  /**
   * How many have to end at least, between two numbers, -1 when all do not suffice. Most often a
   * few do: looks at ever larger steps from below, then between the last two.
   */
  private int least(JobShape shape, List<FlavorAssignment> routes, int from, int to) {
    int low = from;
    int high = from;
    for (int step = 1; route(shape, routes, high) == null; step *= 2) {
      if (high == to) {
        return -1;
      }
      low = high + 1;
      high = work.spent() ? to : Math.min(to, high + step);
    }
    while (low < high && !work.spent()) {
      int middle = (low + high) >>> 1;
      if (route(shape, routes, middle) != null) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

  /** The first route with nodes once so many have ended. */
  private @Nullable FlavorAssignment route(
      JobShape shape, List<FlavorAssignment> routes, int ended) {
    move(ended);
    for (FlavorAssignment route : routes) {
      int mark = ledger.mark();
      boolean fits = placer.place(route, shape.gang(), shape.gang().counts(0));
      ledger.undo(mark);
      if (fits) {
        return route;
      }
    }
    return null;
  }

  private Found found(JobShape shape, FlavorAssignment route, int ended) {
    int mark = ledger.mark();
    placer.place(route, shape.gang(), shape.gang().counts(0));
    List<NodeAllocation> members = ledger.since(mark);
    ledger.undo(mark);
    SortedSet<NodeId> nodes = new TreeSet<>();
    members.forEach(member -> nodes.add(member.room().node().id()));
    List<AttemptId> awaited = new ArrayList<>();
    Instant at = asOf;
    for (RunningAttempt holder : holds.holders().all()) {
      if (holder.leaves() && on(holder, nodes)) {
        awaited.add(holder.attempt().id());
        Instant left = left(holder);
        at = left.isAfter(at) ? left : at;
      }
    }
    for (ExpectedCompletions.End end : ends().subList(0, ended)) {
      if (!end.holder().leaves() && on(end.holder(), nodes)) {
        awaited.add(end.holder().attempt().id());
      }
    }
    Instant last = ended == 0 ? at : ends().get(ended - 1).at();
    return new Found(route, members, last == null || last.isAfter(at) ? last : at, awaited);
  }

  /** When one has left that was told to, or is told in this cycle. */
  private Instant left(RunningAttempt holder) {
    Attempt.StopOrder stop = holder.attempt().stop();
    return stop == null
        ? asOf.plus(holder.job().spec().preemption().gracePeriod())
        : stop.deadline();
  }

  private static boolean on(RunningAttempt holder, SortedSet<NodeId> nodes) {
    return holder.attempt().members().stream().anyMatch(m -> nodes.contains(m.node()));
  }

  private void move(int ended) {
    work.spend(Math.abs(ended - gone.size()));
    while (gone.size() < ended) {
      RunningAttempt next = ends().get(gone.size()).holder();
      // told to leave since the ends were put in order: it is gone already
      gone.push(next.vacate(next.leaves() ? List.of() : next.rest()));
    }
    while (gone.size() > ended) {
      gone.pop().run();
    }
  }

  private List<ExpectedCompletions.End> ends() {
    List<ExpectedCompletions.End> known = ends;
    if (known == null) {
      known = ExpectedCompletions.of(holds, asOf);
      ends = known;
    }
    return known;
  }
}
