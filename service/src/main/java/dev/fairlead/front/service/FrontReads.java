package dev.fairlead.front.service;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.loop.MonotonicClock;
import dev.fairlead.meter.GaugeRows;
import dev.fairlead.metric.Metric;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/** When the Jobs of each front cluster that this process looks after were read last. */
final class FrontReads {
  private final GaugeRows rows;
  private final SortedMap<ClusterId, Read> reads = new TreeMap<>();

  private record Read(String name, long atNanos) {}

  FrontReads(MeterRegistry metrics) {
    this.rows = new GaugeRows(metrics, Metric.FRONT_UNREAD);
  }

  /** From now on they are to be read; changes nothing when they are already. */
  synchronized void begins(ClusterId cluster, Supplier<String> name, MonotonicClock clock) {
    if (!reads.containsKey(cluster)) {
      reads.put(cluster, new Read(name.get(), clock.nanos()));
      show(clock);
    }
  }

  /** All of them were seen. */
  synchronized void seen(ClusterId cluster, MonotonicClock clock) {
    Read old = reads.get(cluster);
    if (old != null) {
      reads.put(cluster, new Read(old.name, clock.nanos()));
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
    Map<List<String>, DoubleSupplier> shown = new HashMap<>();
    reads.forEach((cluster, read) ->
        shown.put(
            List.of(read.name), () -> Duration.ofNanos(clock.nanos() - read.atNanos).toSeconds()));
    rows.show(shown);
  }
}
