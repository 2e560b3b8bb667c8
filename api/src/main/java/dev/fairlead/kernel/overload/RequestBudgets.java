package dev.fairlead.kernel.overload;

import dev.fairlead.fleet.limit.Limit;
import dev.fairlead.fleet.limit.LimitBook;
import dev.fairlead.fleet.limit.LimitSource;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.TenantId;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");
  private final int perMinute;
  private final LimitSource limits;
  private final MeterRegistry metrics;
  private final Map<String, Bucket> callers = new Recent();
  private final Map<String, Bucket> tenants = new Recent();
  private final Map<String, Bucket> projects = new Recent();

  /**
   * @param perMinute of a caller, at once, and per minute on average; 0 for no limit
   * @param limits of tenants and projects
   */
  public RequestBudgets(int perMinute, LimitSource limits, MeterRegistry metrics) {
    this.perMinute = perMinute;
    this.limits = limits;
    this.metrics = metrics;
  }

  /** How long to wait before the next request of this caller; zero when it may go on now. */
  Duration spend(String caller) {
    return spend(callers, caller, perMinute == 0 ? LimitBook.NONE : perMinute);
  }

  /**
   * Takes one from the budget of all callers of a tenant.
   *
   * @param tenant text of its id
   * @param kind of the request
   * @return what to answer a request that has to wait; null when it may go on
   * @throws Refusal UNAVAILABLE when limits were not read yet
   */
  @Nullable Refused spendOfTenant(String tenant, String kind) {
    LimitBook.Bound bound = limits.now().ofTenant(tenant, Limit.REQUESTS_PER_MINUTE);
    Duration wait = spend(tenants, tenant + kind, bound.value());
    return wait.isPositive() ? new Refused(wait, refused("tenant", bound)) : null;
  }

  /** How long to wait, and why. */
  record Refused(Duration pause, String why) {}

  private static String refused(String owner, LimitBook.Bound bound) {
    return "This %s has sent its %d requests of a minute: %s."
        .formatted(owner, bound.value(), bound.named());
  }

  private static Duration spend(Map<String, Bucket> buckets, String who, long perMinute) {
    if (perMinute == LimitBook.NONE) {
      return Duration.ZERO;
    }
    Bucket bucket;
    synchronized (buckets) { // a limit that changes begins with a full bucket of its own
      bucket = buckets.computeIfAbsent(who + " " + perMinute, name -> full(perMinute));
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
    LimitBook.Bound bound = limits.now().ofProject(tenant, project, Limit.REQUESTS_PER_MINUTE);
    Duration wait = spend(projects, tenant.text() + " " + project + kind(request), bound.value());
    if (wait.isPositive()) {
      metrics.counter(Metric.API_REFUSED.meter(), Metric.API_REFUSED.tags("project")).increment();
      throw refused(wait, refused("project", bound), response);
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
