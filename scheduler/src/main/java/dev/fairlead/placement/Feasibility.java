package dev.fairlead.placement;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.Node;
import dev.fairlead.explanation.Blocker;
import dev.fairlead.job.JobSpec;
import dev.fairlead.placement.explain.Explainer;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.shape.GangShape;
import java.util.List;
import java.util.Optional;

/**
 * Judges a spec against the fleet as it is built, whatever runs on it: what waiting would never
 * change.
 */
public final class Feasibility {
  private Feasibility() {}

  /**
   * Why a job of this spec could never start as the fleet stands.
   *
   * @return a blocker of reason NEVER_FITS, or MISCONFIGURED for a wish that is not supported;
   *     empty when it could start one day, or when an allowed cluster has not told its nodes yet
   */
  public static Optional<Blocker> neverFits(
      JobSpec spec, List<Cluster> clusters, List<Node> nodes) {
    return Explainer.hopeless(GangShape.of(spec), Fleet.of(clusters, nodes)).stream().findFirst();
  }
}
