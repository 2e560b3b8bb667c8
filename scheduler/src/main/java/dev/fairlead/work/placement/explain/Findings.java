package dev.fairlead.work.placement.explain;

import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.ClusterVerdict;
import java.util.List;

/**
 * What blocks all jobs of one shape.
 *
 * @param blockers empty when such a job could start
 */
public record Findings(List<Blocker> blockers, List<ClusterVerdict> verdicts) {
  /** For when nothing was looked at. */
  public static final Findings NONE = new Findings(List.of(), List.of());

  public Findings {
    blockers = List.copyOf(blockers);
    verdicts = List.copyOf(verdicts);
  }
}
