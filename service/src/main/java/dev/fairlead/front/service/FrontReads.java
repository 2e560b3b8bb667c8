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
 * Metrics of each front cluster that this process looks after: when its Jobs were read last, and
 * how many Jobs its open circuit breaker misses.
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

  /** From now on they are to be read; changes nothing when they are already. */
  synchronized void begins(ClusterId cluster, Supplier<String> name, MonotonicClock clock) {
    if (!reads.containsKey(cluster)) {
      reads.put(cluster, new Read(name.get(), clock.nanos(), 0));
      show(clock);
    }
  }

  /** All of them were seen. */
  synchronized void seen(ClusterId cluster, MonotonicClock clock) {
    Read old = reads.get(cluster);
    if (old != null) {
      reads.put(cluster, new Read(old.name, clock.nanos(), old.missing));
      show(clock);
    }
  }

  /** Its circuit breaker is open and misses so many Jobs, or is closed: 0. */
  synchronized void misses(ClusterId cluster, int jobs, MonotonicClock clock) {
    Read old = reads.get(cluster);
    if (old != null && old.missing != jobs) {
      reads.put(cluster, new Read(old.name, old.atNanos, jobs));
      show(clock);
    }
  }

  /** They are not to be read any more, or not by this process. */
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
