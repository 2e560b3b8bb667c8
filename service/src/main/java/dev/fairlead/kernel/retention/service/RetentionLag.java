package dev.fairlead.kernel.retention.service;

import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.kernel.retention.RetentionStore.Kind;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Reports the delay of the oldest row of each kind as a metric and as a health detail, and logs the
 * beginning and end of a delay. Only the replica with the lease reports the metric.
 */
@Component
public class RetentionLag {
  static final Duration EVERY = Duration.ofMinutes(10);

  /** Events are removed by whole days, and a round begins every hour. */
  static final Duration ALLOWED = Duration.ofHours(26);

  private static final Logger LOG = LoggerFactory.getLogger(RetentionLag.class);
  private final RetentionStore rows;
  private final GaugeRows horizon;
  private volatile Map<Kind, Duration> late = Map.of();

  public RetentionLag(RetentionStore rows, MeterRegistry metrics) {
    this.rows = rows;
    this.horizon = new GaugeRows(metrics, Metric.PARTITIONS_HORIZON);
    for (Kind kind : Kind.values()) {
      metrics.gauge(
          Metric.RETENTION_LATE.meter(),
          Tags.of(Metric.RETENTION_LATE.tags(kind.name())),
          this,
          self -> self.late.getOrDefault(kind, Duration.ZERO).toSeconds());
    }
  }

  /** Kinds with an oldest row that is more than a day overdue, and the delay. */
  public Map<Kind, Duration> late() {
    return late;
  }

  void look() {
    double ahead = rows.horizon().toSeconds();
    horizon.show(Map.of(List.of(), () -> ahead));
    Map<Kind, Duration> found = new EnumMap<>(Kind.class);
    rows.oldest()
        .forEach((kind, age) -> {
          Duration over = age.minus(Ages.DEFAULT.of(kind));
          if (over.compareTo(ALLOWED) > 0) {
            found.put(kind, over);
          }
        });
    tell(found);
    late = found;
  }

  void forget() {
    horizon.show(Map.of());
    late = Map.of();
  }

  private void tell(Map<Kind, Duration> found) {
    for (Kind kind : Kind.values()) {
      Duration over = found.get(kind);
      if (over != null && !late.containsKey(kind)) {
        LOG.error(
            "retention is late: kind={} oldest row over its age by {} h. See the failures of loop"
                + " retention.",
            kind,
            over.toHours());
      } else if (over == null && late.containsKey(kind)) {
        LOG.info("retention has caught up: kind={}", kind);
      }
    }
  }
}
