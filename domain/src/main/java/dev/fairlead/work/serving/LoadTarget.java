package dev.fairlead.work.serving;

import dev.fairlead.work.serving.signal.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The target load of one replica of a service. The number of replicas follows it between {@code
 * minReplicas} and {@code maxReplicas}.
 *
 * @param target load of one replica in the unit of the metric, 1 to {@link #MOST}
 * @param downAfter time for which fewer replicas must have been enough, two minutes to an hour
 */
public record LoadTarget(Metric metric, int target, Duration downAfter) {
  public static final int MOST = 1_000_000;
  public static final Duration DEFAULT_DOWN_AFTER = Duration.ofMinutes(5);

  /** Deviation from the target that changes nothing, as in the Kubernetes autoscaler. */
  private static final double TOLERANCE = 0.1;

  private static final int MOST_REPLICAS = 1_000_000;

  /** The measured quantity. Values have the names of KServe's metrics. */
  public enum Metric {
    /** Answered requests in a second. */
    RPS("requests per second"),
    /** Requests in flight, by Little's law: the latencies of a second, added up in seconds. */
    CONCURRENCY("requests in flight"),
    /** Requests that wait in the servers of the replicas. */
    QUEUE("waiting requests"),
    /** Used part of the KV caches, in percent of one cache. */
    KV_CACHE("% of a KV cache"),
    /** Mean latency of a response in milliseconds. */
    LATENCY("ms of mean latency");

    private final String unit;

    Metric(String unit) {
      this.unit = unit;
    }

    /** Plural noun that follows a number. */
    String unit() {
      return unit;
    }

    /** Aggregation over model servers, null for a metric of the gateway. */
    public Signal.@Nullable Function ofServers() {
      return switch (this) {
        case RPS, CONCURRENCY, LATENCY -> null;
        case QUEUE -> Signal.Function.SUM;
        case KV_CACHE -> Signal.Function.AVG;
      };
    }

    /** Name of the metric in the field {@code metrics} of a runtime, for a metric of servers. */
    public String entry() {
      return this == KV_CACHE ? "cache" : "waiting";
    }

    /**
     * Returns whether the load falls with the number of replicas in proportion. Others show that a
     * replica is missing, but not how many could be stopped, so one is stopped at a time.
     */
    boolean proportional() {
      return switch (this) {
        case RPS, CONCURRENCY, KV_CACHE -> true;
        case QUEUE, LATENCY -> false;
      };
    }
  }

  /** The load over a window of samples, in the unit of the metric. */
  double load(List<Scaling.Sample> window) {
    Scaling.Sample from = window.getFirst();
    Scaling.Sample to = window.getLast();
    double millis = Duration.between(from.at(), to.at()).toMillis();
    long requests = to.requests() - from.requests();
    return switch (metric) {
      case RPS -> requests * 1000.0 / millis;
      case CONCURRENCY -> (to.millis() - from.millis()) / millis;
      case LATENCY -> requests == 0 ? 0 : (double) (to.millis() - from.millis()) / requests;
      case QUEUE, KV_CACHE ->
          window.stream()
              .flatMap(each -> Optional.ofNullable(each.gauge()).stream())
              .mapToDouble(Scaling.Gauge::value)
              .average()
              .orElse(0);
    };
  }

  /**
   * Replicas for the load, without bounds.
   *
   * @param now current number of replicas, which remains within the tolerance
   */
  int replicas(double load, int now) {
    double share = metric == Metric.LATENCY ? now * load / target : load / target;
    return Math.abs(share - now) <= TOLERANCE * now
        ? now
        : (int) Math.min(MOST_REPLICAS, Math.ceil(share));
  }
}
