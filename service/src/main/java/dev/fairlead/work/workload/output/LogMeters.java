package dev.fairlead.work.workload.output;

import dev.fairlead.kernel.metric.Metric;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.atomic.AtomicLong;

/** Metrics of the output collected from one cluster. */
final class LogMeters {
  private final MeterRegistry metrics;
  private final String lease;
  private final AtomicLong lagSeconds;

  /**
   * @param lease name of the cluster's lease
   */
  LogMeters(MeterRegistry metrics, String lease) {
    this.metrics = metrics;
    this.lease = lease;
    this.lagSeconds =
        metrics.gauge(
            Metric.LOG_LAG.meter(), Tags.of(Metric.LOG_LAG.tags(lease)), new AtomicLong());
  }

  void taken(long bytes) {
    metrics
        .counter(Metric.LOG_BYTES.meter(), Metric.LOG_BYTES.tags(lease))
        .increment((double) bytes);
  }

  void gaps(long more) {
    metrics.counter(Metric.LOG_GAPS.meter(), Metric.LOG_GAPS.tags(lease)).increment((double) more);
  }

  void storeFailed() {
    metrics
        .counter(Metric.LOG_STORE_FAILURES.meter(), Metric.LOG_STORE_FAILURES.tags(lease))
        .increment();
  }

  void lag(long seconds) {
    lagSeconds.set(seconds);
  }
}
