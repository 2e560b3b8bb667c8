package dev.fairlead.work.workload.service.attempt;

import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.work.attempt.CheckpointRequest;
import dev.fairlead.work.attempt.ClusterRefusal;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Metrics of the attempts on each cluster, by the name of the cluster's lease. */
public final class AttemptMetrics {
  private static final List<Metric> GAUGES =
      List.of(
          Metric.DIVERGENCES,
          Metric.ATTEMPTS_MISSING,
          Metric.ATTEMPTS_SET_ASIDE,
          Metric.VOLUMES_MISSING);
  private final MeterRegistry metrics;
  private final Map<String, AtomicInteger> gauges = new ConcurrentSkipListMap<>();

  public AttemptMetrics(MeterRegistry metrics) {
    this.metrics = metrics;
  }

  /** Counts an attempt that its cluster refused. */
  public void refused(String cluster, ClusterRefusal kind) {
    metrics
        .counter(
            Metric.LAUNCHES_REFUSED.meter(), Metric.LAUNCHES_REFUSED.tags(cluster, kind.name()))
        .increment();
  }

  /** Counts the end of a wait for a checkpoint. */
  public void checkpointEnded(String cluster, CheckpointRequest.Outcome outcome) {
    metrics
        .counter(Metric.CHECKPOINTS.meter(), Metric.CHECKPOINTS.tags(cluster, outcome.name()))
        .increment();
  }

  /** Sets the number of attempts that differ from the database. */
  public void diverges(String cluster, int count) {
    gauge(Metric.DIVERGENCES, cluster).set(count);
  }

  /** Sets the number of missing attempts while the cluster's breaker is open, else 0. */
  public void missing(String cluster, int count) {
    gauge(Metric.ATTEMPTS_MISSING, cluster).set(count);
  }

  /** Sets the number of missing claims while the breaker of the volumes is open, else 0. */
  public void missingClaims(String cluster, int count) {
    gauge(Metric.VOLUMES_MISSING, cluster).set(count);
  }

  /** Sets the number of attempts that are set aside. */
  public void setAside(String cluster, int count) {
    gauge(Metric.ATTEMPTS_SET_ASIDE, cluster).set(count);
  }

  /**
   * Removes the metrics of a cluster that this process no longer supervises, because their last
   * values would keep an alert firing.
   */
  public void forget(String cluster) {
    for (Metric metric : GAUGES) {
      if (gauges.remove(key(metric, cluster)) != null) {
        metrics.find(metric.meter()).tags(metric.tags(cluster)).meters().forEach(metrics::remove);
      }
    }
  }

  private static String key(Metric metric, String cluster) {
    return metric + " " + cluster;
  }

  private AtomicInteger gauge(Metric metric, String cluster) {
    return gauges.computeIfAbsent(
        key(metric, cluster),
        key -> metrics.gauge(metric.meter(), Tags.of(metric.tags(cluster)), new AtomicInteger()));
  }
}
