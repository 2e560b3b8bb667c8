package dev.fairlead.work.explanation;

import dev.fairlead.kernel.resources.Flavor;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Result for the nodes of one pool on one cluster, for one flavor.
 *
 * @param pool name of the pool, null for nodes without a pool
 * @param filtered number of refused nodes, by constraint
 * @param exhausted number of nodes without enough capacity, by resource
 * @param best topology domain closest to a fit, null if the cluster has no topology
 */
public record ClusterVerdict(
    String cluster,
    @Nullable String pool,
    Flavor flavor,
    int nodesEvaluated,
    SortedMap<String, Integer> filtered,
    SortedMap<String, Integer> exhausted,
    @Nullable BestDomain best) {
  /** Topology domain in which {@code fits} of {@code needed} members fit. */
  public record BestDomain(String level, String domain, int fits, int needed) {}

  public ClusterVerdict {
    filtered = Collections.unmodifiableSortedMap(new TreeMap<>(filtered));
    exhausted = Collections.unmodifiableSortedMap(new TreeMap<>(exhausted));
  }
}
