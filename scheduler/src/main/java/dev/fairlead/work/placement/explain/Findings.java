package dev.fairlead.work.placement.explain;

import dev.fairlead.work.explanation.Blocker;
import dev.fairlead.work.explanation.ClusterVerdict;
import java.util.List;

/**
 * The blockers of all jobs of one shape.
 *
 * @param blockers empty if such a job could start
 */
public record Findings(List<Blocker> blockers, List<ClusterVerdict> verdicts) {
  /** Result if nothing was evaluated. */
  public static final Findings NONE = new Findings(List.of(), List.of());

  public Findings {
    blockers = List.copyOf(blockers);
    verdicts = List.copyOf(verdicts);
  }
}
