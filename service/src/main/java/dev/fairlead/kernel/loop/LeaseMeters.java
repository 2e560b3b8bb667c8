package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** Publishes the leases of this process and the number of times it acquired them. */
final class LeaseMeters {
  private final MeterRegistry metrics;
  private final GaugeRows held;
  private final Map<String, FunctionCounter> taken = new HashMap<>();

  LeaseMeters(MeterRegistry metrics) {
    this.metrics = metrics;
    this.held = new GaugeRows(metrics, Metric.LEASE_HELD);
  }

  /** Sets the keepers. Each series reads its keeper at each scrape. */
  synchronized void show(Map<String, LeaseKeeper> keepers) {
    Map<List<String>, DoubleSupplier> rows = new HashMap<>();
    keepers.forEach((name, keeper) -> {
      rows.put(List.of(name), () -> keeper.holds() ? 1 : 0);
      taken.computeIfAbsent(name, key -> counter(key, keeper));
    });
    held.show(rows);
    taken
        .entrySet()
        .removeIf(entry -> {
          boolean gone = !keepers.containsKey(entry.getKey());
          if (gone) {
            metrics.remove(entry.getValue());
          }
          return gone;
        });
  }

  private FunctionCounter counter(String name, LeaseKeeper keeper) {
    return FunctionCounter.builder(Metric.LEASE_TAKEN.meter(), keeper, LeaseKeeper::taken)
        .tags(Tags.of(Metric.LEASE_TAKEN.tags(name)))
        .register(metrics);
  }
}
