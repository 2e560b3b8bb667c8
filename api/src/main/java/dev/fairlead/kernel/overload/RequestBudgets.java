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
 * Limits the requests of each caller, of all callers of a tenant, and of all callers to each
 * project. Each has two token buckets, for reads and for changes, so that a polling client never
 * prevents the cancellation of a job. A project is charged only for requests of callers with
 * access.
 */
public final class RequestBudgets {
  private static final Duration PERIOD = Duration.ofMinutes(1);

  /** The most recently used buckets. A removed bucket is full when it is created again. */
  private static final int MOST_BUCKETS = 10_000;

  private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");
  private final int perMinute;
  private final LimitSource limits;
  private final MeterRegistry metrics;
  private final Map<String, Bucket> callers = new Recent();
  private final Map<String, Bucket> tenants = new Recent();
  private final Map<String, Bucket> projects = new Recent();

  /**
   * @param perMinute requests of a caller per minute on average, also the burst, 0 for no limit
   * @param limits limits of tenants and projects
   */
  public RequestBudgets(int perMinute, LimitSource limits, MeterRegistry metrics) {
    this.perMinute = perMinute;
    this.limits = limits;
    this.metrics = metrics;
  }

  /** Returns the wait before the next request of this caller, zero if it may continue now. */
  Duration spend(String caller) {
    return spend(callers, caller, perMinute == 0 ? LimitBook.NONE : perMinute);
  }

  /**
   * Takes a request from the budget of all callers of a tenant.
   *
   * @param tenant text of its id
   * @param kind kind of the request
   * @return the response to a request that has to wait, null if it may continue
   * @throws Refusal UNAVAILABLE if limits were not read yet
   */
  @Nullable Refused spendOfTenant(String tenant, String kind) {
    LimitBook.Bound bound = limits.now().ofTenant(tenant, Limit.REQUESTS_PER_MINUTE);
    Duration wait = spend(tenants, tenant + kind, bound.value());
    return wait.isPositive() ? new Refused(wait, refused("tenant", bound)) : null;
  }

  /** The wait, and its reason. */
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
    synchronized (buckets) { // after a change of the limit a new, full bucket begins
      bucket = buckets.computeIfAbsent(who + " " + perMinute, name -> full(perMinute));
    }
    ConsumptionProbe probe = bucket.tryConsumeAndReturnRemaining(1);
    return probe.isConsumed() ? Duration.ZERO : Duration.ofNanos(probe.getNanosToWaitForRefill());
  }

  /**
   * Takes a request from the budget of a project.
   *
   * @param project name of an existing project: an invented name would have its own budget
   * @throws Refusal RATE_LIMITED if the budget is spent, with the time to retry
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

  /** Suffixes of the names of budgets. */
  static String kind(HttpServletRequest request) {
    return READS.contains(request.getMethod()) ? " for reads" : " for changes";
  }

  /** The refusal, with its header. */
  static Refusal refused(Duration wait, String what, HttpServletResponse response) {
    long seconds = Math.max(1, wait.plusMillis(999).toSeconds());
    response.setHeader("Retry-After", Long.toString(seconds));
    return new Refusal(
        ProblemCode.RATE_LIMITED, what + " Repeat this request in " + seconds + " seconds.");
  }

  private static Bucket full(long perMinute) {
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(perMinute).refillGreedy(perMinute, PERIOD))
        .build();
  }

  /** Removes the least recently used bucket. */
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
