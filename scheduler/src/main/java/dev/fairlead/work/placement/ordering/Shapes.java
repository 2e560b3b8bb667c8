package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.node.NeighbourCounts;
import dev.fairlead.work.placement.routing.Windows;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import dev.fairlead.work.placement.shape.NeighbourTerm;
import dev.fairlead.work.placement.shape.QueueTiers;
import dev.fairlead.work.placement.shape.Tiers;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Groups jobs by shape. The shape of a job from the last cycle is reused. */
final class Shapes {
  private final Fleet fleet;
  private final Admission admission;
  private final Instant asOf;
  private final Windows windows;
  private final PendingJobCache before;
  private final @Nullable EquivalenceClass[] carried;
  private final QueueTiers tiers;
  private final @Nullable Boolean[] samePolicy;
  private final NeighbourCounts changedTerms;
  private final Map<JobShape, EquivalenceClass> equal = new LinkedHashMap<>();

  Shapes(
      Fleet fleet,
      Admission admission,
      Instant asOf,
      Windows windows,
      PendingJobCache before,
      QueueTiers tiers) {
    this.fleet = fleet;
    this.admission = admission;
    this.asOf = asOf;
    this.windows = windows;
    this.before = before;
    this.tiers = tiers;
    carried = new EquivalenceClass[before.shapes().size()];
    samePolicy = new Boolean[before.shapes().size()];
    changedTerms = NeighbourCounts.difference(before.terms(), fleet.neighbours().terms());
  }

  /**
   * Returns the class of a job.
   *
   * @param position position of the job in the last cycle, {@link PendingJobCache#UNKNOWN} for none
   */
  EquivalenceClass of(Job job, int position) {
    SortedMap<NodeId, Instant> backsOff = fleet.backOffs().of(job.id());
    boolean carries = backsOff.isEmpty() && known(position) && changedTerms.matched(job).isEmpty();
    int last = carries ? before.shapeOf(position) : PendingJobCache.UNKNOWN;
    boolean same = last >= 0 && sameTiers(last, job) && sameWindows(last, job);
    int shape = same ? last : PendingJobCache.UNKNOWN;
    EquivalenceClass known = shape < 0 ? null : carried[shape];
    if (known == null) {
      known = equal(shape < 0 ? shape(job).avoiding(backsOff) : before.shapes().get(shape));
      if (shape >= 0) {
        carried[shape] = known;
      }
    }
    return known;
  }

  private JobShape shape(Job job) {
    return JobShape.of(
        job,
        asOf,
        windows.closedTo(job),
        windows.bookedFor(job),
        tiers.of(job),
        fleet.neighbours().of(job));
  }

  /**
   * Returns whether the queue's policy is unchanged, which is compared once, and no tier has
   * opened.
   */
  private boolean sameTiers(int shape, Job job) {
    JobShape then = before.shapes().get(shape);
    Tiers was = then.gang().tiers();
    Boolean same = samePolicy[shape];
    if (same == null) {
      same = was.policy().equals(tiers.policy(then.queue()));
      samePolicy[shape] = same;
    }
    return same && tiers.open(was.policy(), job) == was.open();
  }

  /**
   * Returns whether windows, refusals and advance reservations close the same capacity to the job
   * as in the last cycle.
   */
  private boolean sameWindows(int shape, Job job) {
    GangShape then = before.shapes().get(shape).gang();
    return then.closed().equals(windows.closedTo(job))
        && then.booked().equals(windows.bookedFor(job));
  }

  /**
   * Returns whether the last cycle had the job's shape, apart from its open tiers and closed
   * capacity.
   */
  boolean known(int position) {
    return position >= 0 && before.shapeOf(position) >= 0;
  }

  private EquivalenceClass equal(JobShape shape) {
    return equal.computeIfAbsent(
        shape, s -> new EquivalenceClass(s, fleet, admission, equal.size()));
  }

  /** Returns all classes of the jobs, by number. */
  Collection<EquivalenceClass> equal() {
    return equal.values();
  }

  /** Returns the terms by which jobs were compared. */
  List<NeighbourTerm> terms() {
    return fleet.neighbours().terms();
  }

  /** Returns each shape once, by number. */
  List<JobShape> all() {
    return List.copyOf(equal.keySet());
  }
}
