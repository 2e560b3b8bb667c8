package dev.fairlead.placement.routing;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.Window;
import dev.fairlead.job.Job;
import dev.fairlead.placement.backoff.Refusals;
import dev.fairlead.placement.ledger.Fleet;
import dev.fairlead.placement.shape.Runtimes;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.spec.Deadline;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which clusters are closed to a job that would start now: by their window, or since they refused
 * its pods not long ago.
 */
public final class Windows {
  private final List<Cluster> windowed;
  private final Refusals refusals;
  private final QuotaTree tree;
  private final Instant asOf;

  /**
   * @param tree for the longest runtime of jobs that give none
   */
  public Windows(Fleet fleet, QuotaTree tree, Instant asOf) {
    windowed =
        fleet.clusters().stream()
            .map(c -> c.cluster())
            .filter(c -> !c.settings().window().always())
            .toList();
    refusals = fleet.refusals();
    this.tree = tree;
    this.asOf = asOf;
  }

  /** Whether a job that starts there then ends in time for its deadline and the window. */
  public static boolean inTime(Job job, Cluster cluster, QuotaTree tree, Instant start) {
    Window window = cluster.settings().window();
    return !Deadline.passed(job.spec(), start)
        && (window.always() || window.holds(start, Runtimes.end(job, tree, start)));
  }

  /** Whether any cluster may be closed: then what is closed to a job changes with time. */
  public boolean any() {
    return !windowed.isEmpty() || refusals.any();
  }

  /**
   * Names of the clusters whose window is shorter than the whole runtime of the job from now on,
   * and of clusters that refuse it.
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
    return closed;
  }
}
