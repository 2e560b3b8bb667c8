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
 * What one cycle knows of all jobs of a shape. Within a cycle nothing is given back, so a shape
 * that was refused once stays refused: 100,000 waiting jobs cost as little as their shapes.
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
   * @param number how many shapes of this cycle came before
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

  /** Whether the shape stays theirs as time passes: a back-off ends. */
  boolean lasts() {
    return lasts;
  }

  /** More elements of these jobs wait. */
  public void waits(long elements) {
    waiting += elements;
  }

  /** More elements of these jobs may start now. */
  void offers(long elements) {
    ready += elements;
  }

  /** Elements that may start now. */
  long ready() {
    return ready;
  }

  /** Elements that wait. */
  long waiting() {
    return waiting;
  }

  /**
   * Whether a job of the class was refused that could use as many reservations.
   *
   * @param usable reservations of other jobs that this one may use, since it ends before they start
   */
  public boolean refused(int usable) {
    return refused >= usable;
  }

  public void refuse(int usable) {
    refused = Math.max(refused, usable);
  }

  /** One more of them waits for nothing of its own; how many before it do. */
  public int addPending() {
    return pending++;
  }

  /** How many of them wait for nothing of their own. */
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
   * Thousandths of GPUs that one element asks for with all its members, by each flavor that it may
   * use now.
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

  /** The first tier that has capacity which they may use one day, in service or not. */
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

  /** Whether all that it asks is supported; if not it is not even tried. */
  public boolean supported() {
    Boolean known = supported;
    if (known == null) {
      known = Explainer.supports(shape.gang());
      supported = known;
    }
    return known;
  }

  /** What no waiting changes. */
  public List<Blocker> hopeless() {
    List<Blocker> known = hopeless;
    if (known == null) {
      known = Explainer.hopeless(shape, fleet, admission);
      hopeless = known;
    }
    return known;
  }

  /**
   * Key of the explanation of jobs that wait for the same.
   *
   * @param individual what blocks the job itself, empty for nothing
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

  /** Of the shape, which may be long: worked out once, however many individuals there are. */
  private String digest() {
    String known = digest;
    if (known == null) {
      known = ClassKey.of(shape.toString());
      digest = known;
    }
    return known;
  }
}
