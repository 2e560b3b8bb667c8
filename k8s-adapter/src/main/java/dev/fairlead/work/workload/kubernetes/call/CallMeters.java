package dev.fairlead.work.workload.kubernetes.call;

import dev.fairlead.kernel.metric.Metric;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Slots and durations of calls to one cluster, the latter by outcome, and counters of repairs. */
final class CallMeters {
  private final @Nullable MeterRegistry registry;
  private final Map<Outcome, Timer> timers = new EnumMap<>(Outcome.class);

  private final CallSlots slots;
  private final List<Gauge> gauges = new ArrayList<>();
  private final @Nullable Counter repairs;
  private final @Nullable Counter quotaRemovals;

  CallMeters(String cluster, CallSlots slots, @Nullable MeterRegistry registry) {
    this.slots = slots;
    this.registry = registry;
    repairs = counter(registry, Metric.CLUSTER_REPAIRS, cluster);
    quotaRemovals = counter(registry, Metric.CLUSTER_QUOTA_REMOVALS, cluster);
    if (registry != null) {
      gauges.add(gauge(registry, Metric.CLUSTER_CALLS_PERMITTED, cluster, CallSlots::limit));
      gauges.add(gauge(registry, Metric.CLUSTER_CALLS_RUNNING, cluster, CallSlots::taken));
      for (Outcome outcome : Outcome.values()) {
        timers.put(
            outcome,
            registry.timer(
                Metric.CLUSTER_CALLS.meter(), Metric.CLUSTER_CALLS.tags(cluster, outcome.label)));
      }
    }
  }

  private Gauge gauge(
      MeterRegistry meters, Metric metric, String cluster, ToDoubleFunction<CallSlots> value) {
    return Gauge.builder(metric.meter(), slots, value).tags(metric.tags(cluster)).register(meters);
  }

  CallSlots slots() {
    return slots;
  }

  private static @Nullable Counter counter(
      @Nullable MeterRegistry registry, Metric metric, String cluster) {
    return registry == null ? null : registry.counter(metric.meter(), metric.tags(cluster));
  }

  private enum Outcome {
    OK("ok"),
    REFUSED("refused"),
    THROTTLED("throttled"),
    HELD_BACK("held-back"),
    FAILED("failed");

    private final String label;

    Outcome(String label) {
      this.label = label;
    }
  }

  /**
   * Records the end of a call.
   *
   * @param failure null if it was answered
   */
  void ended(@Nullable CallFailure failure, long nanos) {
    Timer timer = timers.get(outcome(failure));
    if (timer != null) {
      timer.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  private static Outcome outcome(@Nullable CallFailure failure) {
    if (failure == null) {
      return Outcome.OK;
    }
    return switch (failure.effect()) {
      case NOT_SENT -> Outcome.HELD_BACK;
      case REFUSED -> Outcome.REFUSED;
      case NOT_NOW -> failure.throttled() ? Outcome.THROTTLED : Outcome.REFUSED;
      case UNKNOWN -> Outcome.FAILED;
    };
  }

  void repaired() {
    increment(repairs);
  }

  void quotaRemoved() {
    increment(quotaRemovals);
  }

  private static void increment(@Nullable Counter counter) {
    if (counter != null) {
      counter.increment();
    }
  }

  /** Removes the meters of a cluster that is no longer connected. */
  void remove() {
    if (registry != null) {
      timers.values().forEach(registry::remove);
      gauges.forEach(registry::remove);
      Stream.of(repairs, quotaRemovals).filter(Objects::nonNull).forEach(registry::remove);
    }
  }
}
