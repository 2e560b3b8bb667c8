package dev.fairlead.work.workload.service;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.attempt.AttemptId;
import dev.fairlead.work.workload.Divergence;
import dev.fairlead.work.workload.ObservedWorkload;
import dev.fairlead.work.workload.service.attempt.AttemptMetrics;
import dev.fairlead.work.workload.service.attempt.AttemptRepository;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names once, in the log, each attempt that a cluster shows otherwise than it is stored, and shows
 * how many there are ({@code fairlead.divergences}). For one thread.
 */
final class DivergenceReport {
  private static final Logger LOG = LoggerFactory.getLogger(DivergenceReport.class);
  private final ClusterId cluster;
  private final String name;
  private final AttemptRepository desk;
  private final AttemptMetrics metrics;
  private final SortedSet<AttemptId> named = new TreeSet<>();
  private int count;

  DivergenceReport(ClusterId cluster, String name, AttemptRepository desk, AttemptMetrics metrics) {
    this.cluster = cluster;
    this.name = name;
    this.desk = desk;
    this.metrics = metrics;
  }

  /**
   * Of a cluster that is only reported everything that differs; of one that is acted on what nobody
   * puts right by acting: attempts that are not stored.
   */
  void report(Map<AttemptId, ObservedWorkload> shown, boolean onlyReported) {
    List<Divergence> found =
        desk.diverging(cluster, shown).stream()
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

  /** As found last. */
  int count() {
    return count;
  }

  /** Another looks after the cluster now, or nobody does. */
  void forget() {
    named.clear();
    count = 0;
  }
}
