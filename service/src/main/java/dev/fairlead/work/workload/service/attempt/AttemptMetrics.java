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

/** Figures of the attempts on each cluster, by the name of the cluster's lease. */
public final class AttemptMetrics {
  private static final List<Metric> GAUGES =
      List.of(Metric.DIVERGENCES, Metric.ATTEMPTS_MISSING, Metric.ATTEMPTS_SET_ASIDE);
  private final MeterRegistry metrics;
  private final Map<String, AtomicInteger> gauges = new ConcurrentSkipListMap<>();

  public AttemptMetrics(MeterRegistry metrics) {
    this.metrics = metrics;
  }

  /** An attempt was refused by its cluster. */
  public void refused(String cluster, ClusterRefusal kind) {
    metrics
        .counter(
            Metric.LAUNCHES_REFUSED.meter(), Metric.LAUNCHES_REFUSED.tags(cluster, kind.name()))
        .increment();
  }

  /** An attempt that was asked for a checkpoint is not waited for any more. */
  public void checkpointEnded(String cluster, CheckpointRequest.Outcome outcome) {
    metrics
        .counter(Metric.CHECKPOINTS.meter(), Metric.CHECKPOINTS.tags(cluster, outcome.name()))
        .increment();
  }

  /** So many attempts differ from what is stored. */
  public void diverges(String cluster, int count) {
    gauge(Metric.DIVERGENCES, cluster).set(count);
  }

  /** So many attempts are missing while the cluster's breaker is open, else 0. */
  public void missing(String cluster, int count) {
    gauge(Metric.ATTEMPTS_MISSING, cluster).set(count);
  }

  /** So many attempts are set aside. */
  public void setAside(String cluster, int count) {
    gauge(Metric.ATTEMPTS_SET_ASIDE, cluster).set(count);
  }

  /**
   * The cluster is not looked after here any more: its figures would stay as they were then, and
   * keep an alert alive that nothing can end.
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
