package dev.fairlead.work.workload.kubernetes.call;

import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.micrometer.tagged.TaggedCircuitBreakerMetrics;
import io.github.resilience4j.micrometer.tagged.TaggedRateLimiterMetrics;
import io.github.resilience4j.micrometer.tagged.TaggedTimeLimiterMetrics;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.github.resilience4j.timelimiter.TimeLimiterConfig;
import io.github.resilience4j.timelimiter.TimeLimiterRegistry;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The gates of all clusters by cluster name, with their meters. */
public final class ClusterGates {
  private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int TENTHS = 10;

  private final CallLimits limits;
  private final RateLimiterRegistry writes;
  private final CircuitBreakerRegistry breakers;
  private final TimeLimiterRegistry times;

  private final AtomicInteger away = new AtomicInteger();
  private final @Nullable MeterRegistry meters;
  private final Map<String, CallMeters> measured = new ConcurrentHashMap<>();

  /** Outlives a connection, because calls over an earlier one may still arrive. */
  private final Map<String, InFlight> inFlight = new ConcurrentHashMap<>();

  public ClusterGates(CallLimits limits, Duration callTimeout, @Nullable MeterRegistry meters) {
    this.limits = limits;
    writes = RateLimiterRegistry.of(rate(limits));
    breakers =
        CircuitBreakerRegistry.of(
            CircuitBreakerConfig.custom()
                .slidingWindowSize(limits.window())
                .minimumNumberOfCalls(limits.window())
                .failureRateThreshold(limits.failedPercent())
                .waitDurationInOpenState(limits.open())
                .recordException(
                    e -> e instanceof CallFailure failure && failure.countsAgainstCluster())
                .build());
    times = TimeLimiterRegistry.of(TimeLimiterConfig.custom().timeoutDuration(callTimeout).build());
    this.meters = meters;
    if (meters != null) {
      TaggedRateLimiterMetrics.ofRateLimiterRegistry(writes).bindTo(meters);
      TaggedCircuitBreakerMetrics.ofCircuitBreakerRegistry(breakers).bindTo(meters);
      TaggedTimeLimiterMetrics.ofTimeLimiterRegistry(times).bindTo(meters);
    }
  }

  /**
   * Limits whole writes in a tenth of a second, or in a shorter period that makes the rate exact.
   */
  static RateLimiterConfig rate(CallLimits limits) {
    int atOnce = limits.writesPerSecond() / TENTHS;
    return RateLimiterConfig.custom()
        .limitForPeriod(atOnce)
        .limitRefreshPeriod(Duration.ofNanos(atOnce * SECOND_NANOS / limits.writesPerSecond()))
        .timeoutDuration(limits.patience())
        .build();
  }

  public ClusterCalls open(String cluster) {
    CallMeters measures =
        measured.computeIfAbsent(
            cluster, name -> new CallMeters(name, new CallSlots(limits.concurrent()), meters));
    return new ClusterCalls(
        limits.patience(),
        writes.rateLimiter(cluster),
        breakers.circuitBreaker(cluster),
        times.timeLimiter(cluster),
        inFlight.computeIfAbsent(cluster, name -> new InFlight(System::nanoTime)),
        away,
        measures);
  }

  public void close(String cluster) {
    writes.remove(cluster);
    breakers.remove(cluster);
    times.remove(cluster);
    CallMeters gone = measured.remove(cluster);
    if (gone != null) {
      gone.remove();
    }
  }
}
