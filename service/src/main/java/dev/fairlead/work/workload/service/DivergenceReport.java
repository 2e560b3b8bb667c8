package dev.fairlead.work.workload.service;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.Divergence;
import dev.fairlead.work.workload.judgement.ObservedWorkload;
import dev.fairlead.work.workload.service.attempt.AttemptMetrics;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs each attempt with a state that differs from the database once, and publishes their number
 * ({@code fairlead.divergences}). Not thread-safe.
 */
final class DivergenceReport {
  private static final Logger LOG = LoggerFactory.getLogger(DivergenceReport.class);
  private final ClusterId cluster;
  private final String name;
  private final AttemptRepository repository;
  private final AttemptMetrics metrics;
  private final SortedSet<AttemptId> named = new TreeSet<>();
  private int count;

  DivergenceReport(
      ClusterId cluster, String name, AttemptRepository repository, AttemptMetrics metrics) {
    this.cluster = cluster;
    this.name = name;
    this.repository = repository;
    this.metrics = metrics;
  }

  /**
   * Reports every difference of a read-only cluster. For other clusters it reports only attempts
   * that are not stored, because the supervisor resolves all other differences.
   */
  void report(Map<AttemptId, ObservedWorkload> shown, boolean onlyReported) {
    List<Divergence> found =
        repository.diverging(cluster, shown).stream()
            .filter(d -> onlyReported || d.kind() == Divergence.Kind.UNKNOWN_HERE)
            .toList();
    for (Divergence divergence : found) {
      if (named.add(divergence.attempt())) {
        LOG.warn(
            "cluster {} attempt {} is {}: {}",
            cluster.text(),
            divergence.attempt().text(),
            divergence.kind(),
            divergence.detail());
      }
    }
    count = found.size();
    metrics.diverges(name, count);
  }

  /** The number that was found last. */
  int count() {
    return count;
  }

  /** This process no longer supervises the cluster. */
  void forget() {
    named.clear();
    count = 0;
  }
}
