package dev.fairlead.overload;

import dev.fairlead.metric.Metric;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.TenantId;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Requests that each caller may send, that all callers of a tenant may send together, and that all
 * callers together may send to each project: a token bucket for each, one for reads and one for
 * changes, so that something that polls never keeps a job from being cancelled. A project pays only
 * for requests of callers that may send them.
 */
public final class RequestBudgets {
  private static final Duration PERIOD = Duration.ofMinutes(1);

  /** Those used last; one that is forgotten starts full again. */
  private static final int MOST_BUCKETS = 10_000;

  /** What all callers of a tenant may send, times what one may: making callers is no way around. */
  static final int CALLERS_OF_A_TENANT = 8;

  private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");
  private final int perMinute;
  private final MeterRegistry metrics;
  private final Map<String, Bucket> callers = new Recent();
  private final Map<String, Bucket> tenants = new Recent();
  private final Map<String, Bucket> projects = new Recent();

  /**
   * @param perMinute at once, and per minute on average; 0 for no limit
   */
  public RequestBudgets(int perMinute, MeterRegistry metrics) {
    this.perMinute = perMinute;
    this.metrics = metrics;
  }

  /** How long to wait before the next request of this caller; zero when it may go on now. */
  Duration spend(String caller) {
    return spend(callers, caller, perMinute);
  }

  /** As {@link #spend}, for all callers of a tenant. */
  Duration spendOfTenant(String tenant) {
    return spend(tenants, tenant, (long) perMinute * CALLERS_OF_A_TENANT);
  }

  private static Duration spend(Map<String, Bucket> buckets, String who, long perMinute) {
    if (perMinute == 0) {
      return Duration.ZERO;
    }
    Bucket bucket;
    synchronized (buckets) {
      bucket = buckets.computeIfAbsent(who, name -> full(perMinute));
    }
    ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
    return probe.isConsumed() ? Duration.ZERO : Duration.ofNanos(probe.getNanosToWaitForRefill());
  }

  /**
   * Takes one from the budget of a project.
   *
   * @param project name of one that exists: a made-up one would be a budget of its own
   * @throws Refusal RATE_LIMITED when it is spent; the response then says when to come back
   */
  public void spendOf(
      TenantId tenant, String project, HttpServletRequest request, HttpServletResponse response) {
    Duration wait = spend(projects, tenant.text() + " " + project + kind(request), perMinute);
    if (wait.isPositive()) {
      metrics.counter(Metric.API_REFUSED.meter(), Metric.API_REFUSED.tags("project")).increment();
      throw refused(wait, "This project has sent too many requests.", response);
    }
  }

  /** What the names of budgets end with. */
  static String kind(HttpServletRequest request) {
    return READS.contains(request.getMethod()) ? " for reads" : " for changes";
  }

  /** The refusal, with its header. */
  static Refusal refused(Duration wait, String what, HttpServletResponse response) {
    long seconds = Math.max(1, wait.plusMillis(999).toSeconds());
    response.setHeader("Retry-After", Long.toString(seconds));
    return new Refusal(
        ProblemCode.RATE_LIMITED, what + " Repeat this one in " + seconds + " seconds.");
  }

  private static Bucket full(long perMinute) {
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
