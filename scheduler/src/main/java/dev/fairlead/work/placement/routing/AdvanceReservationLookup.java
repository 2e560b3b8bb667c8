package dev.fairlead.work.placement.routing;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.estimate.Runtimes;
import dev.fairlead.work.placement.shape.BookedNodes;
import dev.fairlead.work.placement.shape.GangShape;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the advance reservations that close their nodes to a job that starts at a given time. */
public final class AdvanceReservationLookup {
  private final List<AdvanceReservation> all;
  private final QuotaTree tree;
  private final Map<Times, BookedNodes> known = new LinkedHashMap<>();

  /** The job properties that decide which nodes are closed to it. */
  private record Times(
      ProjectId project, Instant start, @Nullable Instant end, @Nullable Instant leaves) {}

  /**
   * @param all by start
   * @param tree for the longest runtime of jobs that specify none
   */
  public AdvanceReservationLookup(List<AdvanceReservation> all, QuotaTree tree) {
    this.all = all;
    this.tree = tree;
  }

  /** Returns the ends of advance reservations after that time, one for each advance reservation. */
  public List<Instant> endsAfter(Instant then) {
    return all.stream().map(AdvanceReservation::end).filter(end -> end.isAfter(then)).toList();
  }

  /** Returns the advance reservations that close their nodes to a job that starts at that time. */
  public BookedNodes closedTo(Job job, Instant start) {
    if (all.isEmpty()) {
      return BookedNodes.NONE;
    }
    QuotaNode queue = tree.node(job.queue()).orElse(null);
    Times times =
        new Times(
            job.project(), start, Runtimes.end(job, tree, start), Runtimes.leaves(job, start));
    return known.computeIfAbsent(times, same -> closedTo(job, queue, start));
  }

  /**
   * Returns the advance reservations that close their nodes to a job that starts between the two
   * times, inclusive.
   */
  public BookedNodes closedTo(Job job, Instant earliest, Instant latest) {
    BookedNodes first = closedTo(job, earliest);
    BookedNodes last = closedTo(job, latest);
    return first.equals(last)
        ? first
        : BookedNodes.of(
            all.stream()
                .filter(one ->
                    first.advanceReservations().contains(one)
                        || last.advanceReservations().contains(one))
                .toList());
  }

  private BookedNodes closedTo(Job job, @Nullable QuotaNode queue, Instant start) {
    List<AdvanceReservation> closed = new ArrayList<>();
    for (AdvanceReservation advanceReservation : all) {
      if (!Runtimes.admit(advanceReservation, job, queue, start)) {
        closed.add(advanceReservation);
      }
    }
    return BookedNodes.of(closed);
  }

  /** Returns the gang with the booked nodes at that start. */
  public GangShape at(GangShape gang, Job job, Instant start) {
    return all.isEmpty() ? gang : gang.booked(closedTo(job, start));
  }

  /** Returns whether the job may start at that time on all of these nodes. */
  public boolean admit(Job job, Collection<NodeId> nodes, Instant start) {
    BookedNodes closed = closedTo(job, start);
    return closed.none() || nodes.stream().noneMatch(closed::has);
  }
}
