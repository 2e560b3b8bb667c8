package dev.fairlead.work.placement;

import dev.fairlead.care.supply.SupplyOffer;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.placement.explain.Explainer;
import dev.fairlead.work.placement.ledger.Fleet;
import dev.fairlead.work.placement.shape.ClassKey;
import dev.fairlead.work.placement.shape.GangShape;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks jobs against the whole fleet, ignoring current use. It finds the jobs that could never
 * start, regardless of their wait. Each distinct shape is checked once. Thread-safe.
 */
public final class Feasibility {
  /** Maximum number of cached shapes. The cache is cleared when it is full. */
  private static final int MOST_SHAPES = 10_000;

  private final Fleet fleet;
  private final SortedMap<String, Optional<Blocker>> known = new TreeMap<>();
  private @Nullable GangShape last;
  private Optional<Blocker> answer = Optional.empty();

  public Feasibility(List<Cluster> clusters, List<Node> nodes) {
    this(clusters, nodes, List.of());
  }

  /** Includes the nodes that provisioners of pools could add. */
  public Feasibility(List<Cluster> clusters, List<Node> nodes, List<SupplyOffer> offers) {
    fleet = Fleet.of(clusters, nodes, offers);
  }

  /**
   * Explains why the job could never start on the fleet.
   *
   * @return a blocker of reason NEVER_FITS, or MISCONFIGURED for an unsupported request, empty if
   *     the job could start one day, or if an allowed cluster has not reported its nodes yet
   */
  public synchronized Optional<Blocker> neverFits(Job job) {
    if (known.size() >= MOST_SHAPES) {
      known.clear();
    }
    GangShape shape = GangShape.of(job);
    if (!shape.equals(last)) { // the jobs of a request often have one shape
      answer =
          known.computeIfAbsent(
              ClassKey.of(shape.toString()),
              key -> Explainer.hopeless(shape, fleet).stream().findFirst());
      last = shape;
    }
    return answer;
  }
}
