package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.resources.Saturating;
import dev.fairlead.work.job.ArrayProgress;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.shape.BookedNodes;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import dev.fairlead.work.placement.shape.Neighbours;
import dev.fairlead.work.placement.shape.QueueTiers;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Requests of waiting jobs, by queue and cell: all wanted members of each job on the flavor that it
 * tries first, and all waiting elements of an array. A job that no cluster could take now is not
 * counted. The cost is proportional to the number of shapes.
 */
public final class QueueDemand {
  private final Fleet fleet;
  private final QueueTiers tiers;
  private final Instant asOf;
  private final SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> byQueue = new TreeMap<>();
  private final SortedMap<JobId, Job> arrays = new TreeMap<>();

  QueueDemand(Fleet fleet, QueueTiers tiers, Instant asOf) {
    this.fleet = fleet;
    this.tiers = tiers;
    this.asOf = asOf;
  }

  /** Returns the number of waiting elements of a job. */
  static long elements(Job job) {
    ArrayProgress array = job.array();
    return array == null ? 1 : Math.max(0, array.queued());
  }

  /**
   * Adds a job with running elements. If an array has reached its parallelism limit, its remaining
   * elements wait.
   */
  void behindItsLimit(Job job) {
    ArrayProgress array = job.array();
    boolean goesOn = job.state() != JobState.CANCELLING && job.state() != JobState.SUSPENDED;
    if (array != null && goesOn && array.queued() > 0 && array.live() >= array.limit()) {
      arrays.put(job.id(), job);
    }
  }

  QueueDemand and(Collection<EquivalenceClass> shapes) {
    for (EquivalenceClass equivalenceClass : shapes) {
      if (equivalenceClass.waiting() > 0 && equivalenceClass.supported()) {
        add(equivalenceClass.shape(), equivalenceClass.assignments(), equivalenceClass.waiting());
      }
    }
    for (Job job : arrays.values()) {
      JobShape shape =
          JobShape.of(
              job,
              asOf,
              Collections.emptySortedSet(),
              BookedNodes.NONE,
              tiers.of(job),
              Neighbours.ANY);
      add(shape, FlavorAssignments.of(shape.gang(), fleet), elements(job));
    }
    return this;
  }

  private void add(JobShape shape, List<FlavorAssignment> assignments, long elements) {
    if (assignments.isEmpty()) {
      return;
    }
    GangShape gang = shape.gang();
    Charges each = Charges.expected(gang, assignments.getFirst(), gang.counts(gang.elasticSteps()));
    SortedMap<QuotaCell, Long> cells = byQueue.computeIfAbsent(shape.queue(), q -> new TreeMap<>());
    each.cells()
        .forEach((cell, amount) ->
            cells.merge(cell, Saturating.times(amount, elements), Saturating::plus));
  }

  /** Returns the demand in base units. */
  public SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> byQueue() {
    return Collections.unmodifiableSortedMap(byQueue);
  }
}
