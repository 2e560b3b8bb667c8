package dev.fairlead.overload;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Requests that each project, or else each caller, may send: a token bucket for each. */
final class RequestBudgets {
  private static final Duration PERIOD = Duration.ofMinutes(1);

  /** Those used last; one that is forgotten starts full again. */
  private static final int MOST_BUCKETS = 10_000;

  private final int perMinute;
  private final Map<String, Bucket> buckets = new Recent();

  /**
   * @param perMinute at once, and per minute on average; 0 for no limit
   */
  RequestBudgets(int perMinute) {
    this.perMinute = perMinute;
  }

  /** How long to wait before the next request of this one; zero when it may go on now. */
  Duration spend(String who) {
    if (perMinute == 0) {
      return Duration.ZERO;
    }
    Bucket bucket;
    synchronized (buckets) {
      bucket = buckets.computeIfAbsent(who, name -> full());
    }
    ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
    return probe.isConsumed() ? Duration.ZERO : Duration.ofNanos(probe.getNanosToWaitForRefill());
  }

  private Bucket full() {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(perMinute).refillGreedy(perMinute, PERIOD))
        .build();
  }

  /** Forgets the one that was used longest ago. */
  private static final class Recent extends LinkedHashMap<String, Bucket> {
    private static final long serialVersionUID = 1L;
    private static final float LOAD = 0.75f;

    Recent() {
      super(16, LOAD, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
      return size() > MOST_BUCKETS;
    }
  }
}
