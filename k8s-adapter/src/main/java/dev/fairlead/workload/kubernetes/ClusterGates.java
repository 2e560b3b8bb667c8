package dev.fairlead.workload.kubernetes;

import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.github.resilience4j.bulkhead.BulkheadRegistry;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import io.github.resilience4j.micrometer.tagged.TaggedBulkheadMetrics;
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

/** The gates of all clusters, each under its cluster's name, with their meters. */
final class ClusterGates {
  private static final int PARALLEL_CALLS = 16;
  private static final int WRITES_PER_TENTH = 20;
  private static final Duration TENTH = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int WINDOW = 20;
  private static final float FAILED_PERCENT = 50;
  private static final Duration OPEN = Duration.ofSeconds(10);

  private final BulkheadRegistry bulkheads =
      BulkheadRegistry.of(
          BulkheadConfig.custom()
              .maxConcurrentCalls(PARALLEL_CALLS)
              .maxWaitDuration(PATIENCE)
              .build());
  private final RateLimiterRegistry writes =
      RateLimiterRegistry.of(
          RateLimiterConfig.custom()
              .limitForPeriod(WRITES_PER_TENTH)
              .limitRefreshPeriod(TENTH)
              .timeoutDuration(PATIENCE)
              .build());
  private final CircuitBreakerRegistry breakers =
      CircuitBreakerRegistry.of(
          CircuitBreakerConfig.custom()
              .slidingWindowSize(WINDOW)
              .minimumNumberOfCalls(WINDOW)
              .failureRateThreshold(FAILED_PERCENT)
              .waitDurationInOpenState(OPEN)
              .recordException(
                  e -> e instanceof CallFailure failure && failure.countsAgainstCluster())
              .build());
  private final TimeLimiterRegistry times;

  private final AtomicInteger away = new AtomicInteger();
  private final @Nullable MeterRegistry meters;
  private final Map<String, CallMeters> measured = new ConcurrentHashMap<>();

  /** Outlive a connection: what was sent over an earlier one may still arrive. */
  private final Map<String, InFlight> inFlight = new ConcurrentHashMap<>();

  ClusterGates(Duration callTimeout, @Nullable MeterRegistry meters) {
    times = TimeLimiterRegistry.of(TimeLimiterConfig.custom().timeoutDuration(callTimeout).build());
    this.meters = meters;
    if (meters != null) {
      TaggedBulkheadMetrics.ofBulkheadRegistry(bulkheads).bindTo(meters);
      TaggedRateLimiterMetrics.ofRateLimiterRegistry(writes).bindTo(meters);
      TaggedCircuitBreakerMetrics.ofCircuitBreakerRegistry(breakers).bindTo(meters);
      TaggedTimeLimiterMetrics.ofTimeLimiterRegistry(times).bindTo(meters);
    }
  }

  ClusterCalls open(String cluster) {
    return new ClusterCalls(
        bulkheads.bulkhead(cluster),
        writes.rateLimiter(cluster),
        breakers.circuitBreaker(cluster),
        times.timeLimiter(cluster),
        inFlight.computeIfAbsent(cluster, name -> new InFlight(System::nanoTime)),
        away,
        measured.computeIfAbsent(cluster, name -> new CallMeters(name, meters)));
  }

  void close(String cluster) {
    bulkheads.remove(cluster);
    writes.remove(cluster);
    breakers.remove(cluster);
    times.remove(cluster);
    CallMeters gone = measured.remove(cluster);
    if (gone != null) {
      gone.remove();
    }
  }
}
