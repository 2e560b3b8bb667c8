package dev.fairlead.front.service;

import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.meter.GaugeRows;
import dev.fairlead.kernel.metric.Metric;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * Metrics of each front cluster of this process: the time of the last read of its Jobs, and the
 * number of missing Jobs while its circuit breaker is open.
 */
final class FrontReads {
  private final GaugeRows rows;
  private final GaugeRows missing;
  private final SortedMap<ClusterId, Read> reads = new TreeMap<>();

  private record Read(String name, long atNanos, int missing) {}

  FrontReads(MeterRegistry metrics) {
    this.rows = new GaugeRows(metrics, Metric.FRONT_UNREAD);
    this.missing = new GaugeRows(metrics, Metric.FRONT_MISSING);
  }

  /** Starts the metrics of a cluster. Has no effect if they exist. */
  synchronized void begins(ClusterId cluster, Supplier<String> name, MonotonicClock clock) {
    if (!reads.containsKey(cluster)) {
      reads.put(cluster, new Read(name.get(), clock.nanos(), 0));
      show(clock);
    }
  }

  /** All Jobs were read. */
  synchronized void seen(ClusterId cluster, MonotonicClock clock) {
    Read old = reads.get(cluster);
    if (old != null) {
      reads.put(cluster, new Read(old.name, clock.nanos(), old.missing));
      show(clock);
    }
  }

  /** Sets the number of missing Jobs while its circuit breaker is open, 0 while it is closed. */
  synchronized void misses(ClusterId cluster, int jobs, MonotonicClock clock) {
    Read old = reads.get(cluster);
    if (old != null && old.missing != jobs) {
      reads.put(cluster, new Read(old.name, old.atNanos, jobs));
      show(clock);
    }
  }

  /** Removes the metrics: this process no longer reads the Jobs. */
  synchronized void ends(ClusterId cluster, MonotonicClock clock) {
    if (reads.remove(cluster) != null) {
      show(clock);
    }
  }

  private void show(MonotonicClock clock) {
    Map<List<String>, DoubleSupplier> ages = new HashMap<>();
    Map<List<String>, DoubleSupplier> losses = new HashMap<>();
    for (Read read : reads.values()) {
      List<String> labels = List.of(read.name);
      ages.put(labels, () -> Duration.ofNanos(clock.nanos() - read.atNanos).toSeconds());
      losses.put(labels, () -> read.missing);
    }
    rows.show(ages);
    missing.show(losses);
  }
}
