package dev.fairlead.work.serving;

import java.time.Duration;

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

  /** Deviation from the target that changes nothing, as in the autoscaler of Kubernetes. */
  private static final double TOLERANCE = 0.1;

  private static final int MOST_REPLICAS = 1_000_000;

  /** The measured quantity. Values have the names of KServe's metrics. */
  public enum Metric {
    /** Answered requests in a second. */
    RPS("requests per second"),
    /** Requests in flight, by Little's law: the latencies of a second, added up in seconds. */
    CONCURRENCY("requests in flight");

    private final String unit;

    Metric(String unit) {
      this.unit = unit;
    }

    /** Plural noun that follows a number. */
    String unit() {
      return unit;
    }
  }

  /** The load between two samples, in the unit of the metric. */
  double load(Scaling.Sample from, Scaling.Sample to) {
    double millis = Duration.between(from.at(), to.at()).toMillis();
    return switch (metric) {
      case RPS -> (to.requests() - from.requests()) * 1000.0 / millis;
      case CONCURRENCY -> (to.millis() - from.millis()) / millis;
    };
  }

  /**
   * Replicas for the load, without bounds.
   *
   * @param now current number of replicas, which remains within the tolerance
   */
  int replicas(double load, int now) {
    double share = load / target;
    return Math.abs(share - now) <= TOLERANCE * now
        ? now
        : (int) Math.min(MOST_REPLICAS, Math.ceil(share));
  }
}
