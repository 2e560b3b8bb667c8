package dev.fairlead.placement.routing;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.Window;
import dev.fairlead.job.Job;
import dev.fairlead.node.NodePool;
import dev.fairlead.node.Opening;
import dev.fairlead.node.PoolWindows;
import dev.fairlead.placement.backoff.Refusals;
import dev.fairlead.placement.ledger.ClusterCapacity;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.shape.GangShape;
import dev.fairlead.placement.shape.Runtimes;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.spec.Deadline;
import dev.fairlead.spec.JobSpec.PreemptionSpec;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which clusters and pools are closed to a job that would start now: by their windows, or clusters
 * that refused its pods not long ago.
 */
public final class Windows {
  private final List<Cluster> windowed;
  private final List<TimedPool> pools;
  private final Refusals refusals;
  private final QuotaTree tree;
  private final Instant asOf;

  /** With what is open of its windows now. */
  private record TimedPool(NodePool pool, @Nullable Opening opening) {}

  /**
   * @param tree for the longest runtime of jobs that give none
   */
  public Windows(Fleet fleet, QuotaTree tree, Instant asOf) {
    windowed =
        fleet.clusters().stream()
            .map(c -> c.cluster())
            .filter(c -> !c.settings().window().always())
            .toList();
    Map<PoolWindows, Optional<Opening>> openings = new LinkedHashMap<>();
    pools =
        fleet.clusters().stream()
            .map(ClusterCapacity::pool)
            .filter(Objects::nonNull)
            .filter(pool -> !pool.windows().always())
            .distinct()
            .map(pool ->
                new TimedPool(
                    pool,
                    openings
                        .computeIfAbsent(pool.windows(), w -> Optional.ofNullable(w.current(asOf)))
                        .orElse(null)))
            .toList();
    refusals = fleet.refusals();
    this.tree = tree;
    this.asOf = asOf;
  }

  /** Whether a job that starts there then ends in time for its deadline and the windows. */
  public static boolean inTime(Job job, ClusterCapacity part, QuotaTree tree, Instant start) {
    Window window = part.cluster().settings().window();
    NodePool pool = part.pool();
    return !Deadline.passed(job.spec(), start)
        && (window.always() || window.holds(start, Runtimes.end(job, tree, start)))
        && (pool == null || admits(pool, job, tree, start));
  }

  private static boolean admits(NodePool pool, Job job, QuotaTree tree, Instant start) {
    if (pool.windows().always()) {
      return true;
    }
    return pool.windows().admit(start, Runtimes.end(job, tree, start), leaves(job, start));
  }

  private static @Nullable Instant leaves(Job job, Instant start) {
    PreemptionSpec preemption = job.spec().preemption();
    return preemption.allowed() ? start.plus(preemption.minRuntime()) : null;
  }

  /** Whether time alone closes no part of a cluster to jobs. */
  public static boolean always(ClusterCapacity part) {
    NodePool pool = part.pool();
    return part.cluster().settings().window().always() && (pool == null || pool.windows().always());
  }

  /** Whether any cluster or pool may be closed: then what is closed to a job changes with time. */
  public boolean any() {
    return !windowed.isEmpty() || !pools.isEmpty() || refusals.any();
  }

  /**
   * Names of the clusters whose window is shorter than the whole runtime of the job from now on,
   * and of clusters that refuse it; and {@link GangShape#closedPool} of pools whose windows do not
   * let it start.
   */
  public SortedSet<String> closedTo(Job job) {
    if (!any()) {
      return Collections.emptySortedSet();
    }
    Instant end = Runtimes.end(job, tree, asOf);
    SortedSet<String> closed = new TreeSet<>(refusals.of(job).keySet());
    for (Cluster cluster : windowed) {
      Window window = cluster.settings().window();
      if (!window.holds(asOf, end)) {
        closed.add(cluster.name());
      }
    }
    List<String> named = job.spec().placement().pools();
    Instant leaves = leaves(job, asOf);
    for (TimedPool timed : pools) {
      NodePool pool = timed.pool();
      if (pool.serves(job.tenant())
          && (named.isEmpty() || named.contains(pool.name()))
          && !pool.windows().admit(timed.opening(), asOf, end, leaves)) {
        closed.add(GangShape.closedPool(pool));
      }
    }
    return closed;
  }
}
