package dev.fairlead.kernel.meter;

import dev.fairlead.kernel.metric.Metric;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleSupplier;

/**
 * The series of one gauge with changing labels. A removed series is no longer exported, so that no
 * process exports outdated values.
 */
public final class GaugeRows {
  private final MeterRegistry registry;
  private final Metric metric;
  private final Map<List<String>, Row> rows = new ConcurrentHashMap<>();

  public GaugeRows(MeterRegistry registry, Metric metric) {
    this.registry = registry;
    this.metric = metric;
  }

  private static final class Row {
    private volatile DoubleSupplier value;
    private final Gauge gauge;

    Row(MeterRegistry registry, Metric metric, List<String> labels, DoubleSupplier first) {
      value = first;
      gauge =
          Gauge.builder(metric.meter(), () -> value.getAsDouble())
              .tags(Tags.of(metric.tags(labels.toArray(String[]::new))))
              .register(registry);
    }
  }

  /**
   * Replaces the series, each by the values of its labels. The suppliers are read at each scrape.
   */
  public synchronized void show(Map<List<String>, ? extends DoubleSupplier> now) {
    for (List<String> gone : Set.copyOf(rows.keySet())) {
      if (!now.containsKey(gone)) {
        hide(gone);
      }
    }
    now.forEach((labels, value) -> {
      Row row = rows.get(labels);
      if (row == null) {
        rows.put(labels, new Row(registry, metric, labels, value));
      } else {
        row.value = value;
      }
    });
  }

  private void hide(List<String> labels) {
    Row row = rows.remove(labels);
    if (row != null) {
      registry.remove(row.gauge);
    }
  }
}
