package dev.fairlead.work.explanation;

import dev.fairlead.kernel.resources.Flavor;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Evaluation of one cluster, among its nodes of one pool, for one flavor.
 *
 * @param pool null for nodes of no pool
 * @param filtered nodes refused, by constraint
 * @param exhausted nodes without room, by resource
 * @param best the domain that comes nearest, null where topology plays no part
 */
public record ClusterVerdict(
    String cluster,
    @Nullable String pool,
    Flavor flavor,
    int nodesEvaluated,
    SortedMap<String, Integer> filtered,
    SortedMap<String, Integer> exhausted,
    @Nullable BestDomain best) {
  /** {@code fits} of {@code needed} members fit in the domain. */
  public record BestDomain(String level, String domain, int fits, int needed) {}

  public ClusterVerdict {
    filtered = Collections.unmodifiableSortedMap(new TreeMap<>(filtered));
    exhausted = Collections.unmodifiableSortedMap(new TreeMap<>(exhausted));
  }
}
