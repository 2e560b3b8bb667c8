package dev.fairlead.work.explanation;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Why the jobs of one class (equal in everything that counts) wait. Position in the queue is a
 * job's own and is added when it is read.
 *
 * @param blockers at least one, in rank order of their reasons
 * @param estimate when it may start, null = unknown
 */
public record Explanation(
    Instant computedAt,
    List<Blocker> blockers,
    List<NearMiss> nearMisses,
    List<ClusterVerdict> clusters,
    @Nullable Estimate estimate) {
  /** Half and nine tenths of such starts are earlier, under the assumption. */
  public record Estimate(Instant p50, Instant p90, String assumption) {}

  public Explanation {
    blockers = List.copyOf(blockers);
    nearMisses = List.copyOf(nearMisses);
    clusters = List.copyOf(clusters);
    if (blockers.isEmpty()) {
      throw new IllegalArgumentException("an explanation names at least one blocker");
    }
  }

  /** The same with a time to expect. */
  public Explanation with(Estimate expected) {
    return new Explanation(computedAt, blockers, nearMisses, clusters, expected);
  }

  /** The blocker shown first. */
  public Blocker first() {
    return blockers.getFirst();
  }
}
