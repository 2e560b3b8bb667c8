package dev.fairlead.work.placement.ordering;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.placement.admission.Admission;
import dev.fairlead.work.placement.admission.Charges;
import dev.fairlead.work.placement.explain.Explainer;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.FlavorAssignments;
import dev.fairlead.work.placement.shape.ClassKey;
import dev.fairlead.work.placement.shape.GangShape;
import dev.fairlead.work.placement.shape.JobShape;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * State of one cycle for all jobs of a shape. Capacity only decreases within a cycle, so a shape
 * that was refused once remains refused. The cost of 100,000 waiting jobs is therefore proportional
 * to the number of their shapes.
 */
public final class EquivalenceClass {
  private static final int NEVER = -1;

  private final JobShape shape;
  private final Fleet fleet;
  private final Admission admission;
  private final int number;
  private final boolean lasts;
  private int refused = NEVER;
  private long waiting;
  private long ready;
  private int pending;
  private @Nullable List<FlavorAssignment> assignments;
  private @Nullable SortedMap<QuotaCell, Long> gpus;
  private @Nullable List<Blocker> hopeless;
  private @Nullable Integer firstTier;
  private @Nullable Boolean supported;
  private @Nullable String digest;
  private @Nullable String key;
  private String keyOf = "";

  /**
   * @param number number of earlier shapes of this cycle
   */
  EquivalenceClass(JobShape shape, Fleet fleet, Admission admission, int number) {
    this.shape = shape;
    this.fleet = fleet;
    this.admission = admission;
    this.number = number;
    lasts = shape.gang().backsOff().isEmpty();
  }

  int number() {
    return number;
  }

  public JobShape shape() {
    return shape;
  }

  /**
   * Returns whether the shape of the jobs does not change over time. A back-off ends, so the state
   * of the class changes.
   */
  boolean lasts() {
    return lasts;
  }

  /** Adds waiting elements of these jobs. */
  public void waits(long elements) {
    waiting += elements;
  }

  /** Adds elements of these jobs that may start now. */
  void offers(long elements) {
    ready += elements;
  }

  /** Returns the number of elements that may start now. */
  long ready() {
    return ready;
  }

  /** Returns the number of waiting elements. */
  long waiting() {
    return waiting;
  }

  /**
   * Returns whether a job of the class with access to as many reservations was refused.
   *
   * @param usable reservations of other jobs that this job may use, because it ends before they
   *     start
   */
  public boolean refused(int usable) {
    return refused >= usable;
  }

  public void refuse(int usable) {
    refused = Math.max(refused, usable);
  }

  /** Adds a job without individual blockers and returns the number of such jobs before it. */
  public int addPending() {
    return pending++;
  }

  /** Returns the number of jobs without individual blockers. */
  public int pending() {
    return pending;
  }

  public List<FlavorAssignment> assignments() {
    List<FlavorAssignment> known = assignments;
    if (known == null) {
      known = FlavorAssignments.of(shape.gang(), fleet);
      assignments = known;
    }
    return known;
  }

  /**
   * Returns the thousandths of GPUs that one element requests with all its members, for each flavor
   * that it may use now.
   */
  SortedMap<QuotaCell, Long> gpus() {
    SortedMap<QuotaCell, Long> known = gpus;
    if (known == null) {
      known = new TreeMap<>();
      GangShape gang = shape.gang();
      int[] counts = gang.counts(gang.elasticSteps());
      for (FlavorAssignment assignment : assignments()) {
        SortedMap<QuotaCell, Long> cells = Charges.expected(gang, assignment, counts).cells();
        for (Map.Entry<QuotaCell, Long> cell : cells.entrySet()) {
          if (cell.getKey().resource().equals(ResourceNames.GPU)) {
            known.merge(cell.getKey(), cell.getValue(), Long::max);
          }
        }
      }
      gpus = known;
    }
    return known;
  }

  /** Returns the first tier with capacity that the jobs may use at some time, in service or not. */
  public int firstTier() {
    Integer known = firstTier;
    if (known == null) {
      known =
          FlavorAssignments.ever(shape.gang(), fleet).stream()
              .mapToInt(FlavorAssignment::tier)
              .min()
              .orElse(Integer.MAX_VALUE);
      firstTier = known;
    }
    return known;
  }

  /** Returns whether the whole request is supported. An unsupported job is not tried. */
  public boolean supported() {
    Boolean known = supported;
    if (known == null) {
      known = Explainer.supports(shape.gang());
      supported = known;
    }
    return known;
  }

  /** Returns the blockers that waiting cannot remove. */
  public List<Blocker> hopeless() {
    List<Blocker> known = hopeless;
    if (known == null) {
      known = Explainer.hopeless(shape, fleet, admission);
      hopeless = known;
    }
    return known;
  }

  /**
   * Returns the key of the explanation that jobs with the same blockers share.
   *
   * @param individual blockers of the job itself, empty if none
   */
  public String key(String individual) {
    String known = key;
    if (known == null || !individual.equals(keyOf)) {
      known = ClassKey.of(digest() + "|" + individual);
      key = known;
      keyOf = individual;
    }
    return known;
  }

  /**
   * Returns the digest of the shape, which may be long. It is computed once for all individual
   * blockers.
   */
  private String digest() {
    String known = digest;
    if (known == null) {
      known = ClassKey.of(shape.toString());
      digest = known;
    }
    return known;
  }
}
