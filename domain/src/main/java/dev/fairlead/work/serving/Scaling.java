package dev.fairlead.work.serving;

import dev.fairlead.kernel.resources.DurationText;
import dev.fairlead.work.serving.signal.Reading;
import dev.fairlead.work.serving.signal.Signal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The number of replicas that the load of a service requires, and the measurements behind it. It is
 * stored with the service, so that another process continues with the same window.
 *
 * <p>More replicas start with the next sample, at most twice as many or four more. Replicas stop
 * only after {@link LoadTarget#downAfter}: the highest recommendation within this time counts. A
 * gap in the samples restarts this time.
 *
 * @param wanted replicas, within the bounds that the service had at the last sample
 * @param load over the last minute in the unit of the metric, null while it is unknown
 * @param reason reason of the number, for users
 * @param samples samples of the last minute, the oldest first
 * @param peaks recommendations of {@code downAfter} that no later one reached, the oldest first
 */
public record Scaling(
    int wanted, @Nullable Double load, String reason, List<Sample> samples, List<Peak> peaks) {
  /** Gateways are read every 15 s while no rollout is open. */
  private static final Duration EVERY = Duration.ofSeconds(10);

  private static final Duration WINDOW = Duration.ofMinutes(1);
  private static final int MOST_ADDED = 4;
  private static final double PERCENT = 100;

  /**
   * Counters of all versions together.
   *
   * @param millis latencies of the requests, added up
   * @param gauge metric of the servers, null for counters of the gateway
   */
  public record Sample(Instant at, long requests, long millis, @Nullable Gauge gauge) {
    /**
     * The clock of the counts may be ahead, so counts from the future do not prove that time has
     * passed.
     */
    Sample notAfter(Instant now) {
      return at.isAfter(now) ? new Sample(now, requests, millis, gauge) : this;
    }
  }

  /** Value of a metric of the servers, for all replicas together. */
  public record Gauge(LoadTarget.Metric metric, double value) {
    static LoadTarget.@Nullable Metric of(@Nullable Gauge gauge) {
      return gauge == null ? null : gauge.metric();
    }
  }

  /** A recommendation within the bounds. */
  public record Peak(Instant at, int replicas) {}

  public Scaling {
    samples = List.copyOf(samples);
    peaks = List.copyOf(peaks);
  }

  static Scaling first(int replicas) {
    return new Scaling(replicas, null, "no request is counted yet", List.of(), List.of());
  }

  /**
   * The counters of all versions, or null when the requests of a ready version are not counted or
   * no version is ready.
   */
  static @Nullable Sample sample(Collection<ServiceTraffic> versions) {
    Instant oldest = null;
    long requests = 0;
    long millis = 0;
    for (ServiceTraffic each : versions) {
      requests += each.count().requests();
      millis += each.count().millis();
      Instant at = each.countedAt();
      if (each.ready().isEmpty()) {
        continue;
      }
      if (at == null) {
        return null;
      }
      oldest = oldest == null || at.isBefore(oldest) ? at : oldest;
    }
    return oldest == null ? null : new Sample(oldest, requests, millis, null);
  }

  /**
   * Value of the rule's metric, null if it is unknown: no version is ready, or a ready replica
   * reports no value.
   */
  static @Nullable Sample sample(LoadTarget rule, Collection<ServiceTraffic> versions) {
    Signal.Function of = rule.metric().ofServers();
    if (of == null) {
      return sample(versions);
    }
    List<Reading> readings = new ArrayList<>();
    for (ServiceTraffic each : versions) {
      if (each.ready().isEmpty()) {
        continue;
      }
      Reading reading = each.reading(rule.metric().name());
      if (reading == null) {
        return null;
      }
      readings.add(reading);
    }
    return readings.stream()
        .map(Reading::at)
        .min(Comparator.naturalOrder())
        .map(at -> new Sample(at, 0, 0, new Gauge(rule.metric(), gauge(of, readings))))
        .orElse(null);
  }

  /** The sum over all replicas. A mean is the mean of its replicas. */
  private static double gauge(Signal.Function of, List<Reading> readings) {
    return readings.stream()
        .mapToDouble(each ->
            of == Signal.Function.AVG ? PERCENT * each.value() * each.replicas() : each.value())
        .sum();
  }

  /**
   * Returns the next state with another sample.
   *
   * @param seen the counters, null when they are unknown
   */
  Scaling next(ModelService service, LoadTarget rule, @Nullable Sample seen, Instant now) {
    if (seen == null) {
      return unknown(
          rule.metric().ofServers() == null
              ? "the gateway does not count its requests, or no replica is ready"
              : "no replica is ready, or the Prometheus of a cluster lacks a metric of a ready"
                  + " replica");
    }
    if (seen.at().isBefore(now.minus(WINDOW))) {
      return unknown(
          (rule.metric().ofServers() == null ? "no request is counted" : "no metric is read")
              + " since "
              + seen.at());
    }
    Sample last = samples.isEmpty() ? null : samples.getLast();
    if (last == null || !follows(last, seen)) {
      return new Scaling(
          wanted,
          null,
          "the measurement of the load starts now",
          List.of(seen),
          List.of(new Peak(seen.at(), wanted)));
    }
    return Duration.between(last.at(), seen.at()).compareTo(EVERY) < 0
        ? this
        : measured(service, rule, seen);
  }

  private Scaling unknown(String why) {
    return new Scaling(wanted, null, "the load is unknown: " + why, samples, peaks);
  }

  /**
   * Returns whether the difference is a load: no gap, the same metric, and no counter fell with a
   * removed cluster.
   */
  private static boolean follows(Sample last, Sample seen) {
    return Gauge.of(last.gauge()) == Gauge.of(seen.gauge())
        && Duration.between(last.at(), seen.at()).abs().compareTo(WINDOW) <= 0
        && seen.requests() >= last.requests()
        && seen.millis() >= last.millis();
  }

  private Scaling measured(ModelService service, LoadTarget rule, Sample seen) {
    List<Sample> window = new ArrayList<>(samples);
    window.add(seen);
    while (window.size() > 2 && !window.get(1).at().isAfter(seen.at().minus(WINDOW))) {
      Sample _ = window.removeFirst();
    }
    double measured = rule.load(window);
    int before = service.bounded(wanted);
    int recommended = rule.replicas(measured, before);
    int bounded = service.bounded(recommended);
    List<Peak> recent = new ArrayList<>(peaks);
    recent.removeIf(peak ->
        peak.replicas() <= bounded || peak.at().isBefore(seen.at().minus(rule.downAfter())));
    recent.add(new Peak(seen.at(), bounded));
    int highest = service.bounded(recent.getFirst().replicas());
    int least = rule.metric().proportional() ? highest : Math.max(highest, before - 1);
    int next =
        bounded > before
            ? Math.min(bounded, Math.max(2 * before, before + MOST_ADDED))
            : Math.min(before, least);
    if (!rule.metric().proportional()
        && next < before
        && next > bounded) { // the next one is stopped after another time
      recent = List.of(new Peak(seen.at(), next), new Peak(seen.at(), bounded));
    }
    return new Scaling(
        next, measured, reason(service, rule, measured, recommended, next), window, recent);
  }

  private static String reason(
      ModelService service, LoadTarget rule, double load, int recommended, int next) {
    int bounded = service.bounded(recommended);
    String limit = "";
    if (recommended > service.maxReplicas()) {
      limit = ", at most %d by maxReplicas".formatted(service.maxReplicas());
    } else if (recommended < service.minReplicas()) {
      String by = service.floors().isEmpty() ? "minReplicas" : "minReplicas and floors";
      limit = ", at least %d by %s".formatted(service.minReplicas(), by);
    }
    String pace = "";
    if (next < bounded) {
      pace = ", %d in this step".formatted(next);
    } else if (next > bounded) {
      pace =
          ", and %d were needed in the last %s".formatted(next, DurationText.of(rule.downAfter()));
    }
    return String.format(Locale.ROOT, "%.1f %s want %d", load, rule.metric().unit(), recommended)
        + limit
        + pace;
  }
}
