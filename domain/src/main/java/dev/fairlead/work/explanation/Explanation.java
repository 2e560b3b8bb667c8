package dev.fairlead.work.explanation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reasons why the jobs of one equivalence class wait. The position in the queue belongs to a job
 * and is added when it is read.
 *
 * @param blockers at least one, in rank order of their reasons
 * @param estimate estimated start, null if unknown
 */
public record Explanation(
    Instant computedAt,
    List<Blocker> blockers,
    List<NearMiss> nearMisses,
    List<ClusterVerdict> clusters,
    @Nullable Estimate estimate) {
  /** Times before which 50 and 90 percent of such starts happen, under the assumption. */
  public record Estimate(Instant p50, Instant p90, String assumption) {}

  public Explanation {
    blockers = List.copyOf(blockers);
    nearMisses = List.copyOf(nearMisses);
    clusters = List.copyOf(clusters);
    if (blockers.isEmpty()) {
      throw new IllegalArgumentException("an explanation names at least one blocker");
    }
  }

  /** Returns the explanation with an estimated start. */
  public Explanation with(Estimate expected) {
    return new Explanation(computedAt, blockers, nearMisses, clusters, expected);
  }

  /** Returns the explanation with this blocker instead of those about nodes. */
  public Explanation instead(Blocker blocker) {
    List<Blocker> all = new ArrayList<>(blockers);
    all.removeIf(each -> each.reason().compareTo(Reason.TOPOLOGY) >= 0);
    all.add(blocker);
    return new Explanation(computedAt, all, List.of(), clusters, estimate);
  }

  /** The blocker that is shown first. */
  public Blocker first() {
    return blockers.getFirst();
  }
}
