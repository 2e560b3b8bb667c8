package dev.fairlead.fleet.limit;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.people.tenant.TenantId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The effective limits of each tenant and project: the value that was set, else the default of the
 * platform. A project never has more than its tenant.
 */
public final class LimitBook {
  /** Value without a limit. */
  public static final long NONE = Long.MAX_VALUE;

  /**
   * The request limit of all callers of a tenant, as a multiple of the limit of one caller, so that
   * additional callers do not bypass it.
   */
  public static final int CALLERS_OF_A_TENANT = 8;

  private static final long ACTIVE_JOBS_OF_A_PROJECT = 100_000;
  private static final long PROJECTS_OF_A_TENANT = 1_000;
  private static final long DAYS_OF_DECISIONS = 366;
  private static final long WORKDIR_MIB_OF_A_PROJECT = 10_240;
  private static final long SESSIONS_OF_A_PROJECT = 100;
  private final Map<String, SetLimits> places = new TreeMap<>();
  private final int requestsPerMinute;

  /**
   * @param requestsPerMinute default of a project, 0 for no limit (a tenant has {@value
   *     #CALLERS_OF_A_TENANT} times as many)
   */
  public LimitBook(List<ConfigDocument<SetLimits>> set, int requestsPerMinute) {
    this.requestsPerMinute = requestsPerMinute;
    for (ConfigDocument<SetLimits> one : set) {
      TenantId tenant = Objects.requireNonNull(one.tenant(), "limits have a tenant");
      places.put(key(tenant.text(), one.value().project()), one.value());
    }
  }

  private static String key(String tenant, @Nullable String project) {
    return project == null ? tenant : tenant + " " + project;
  }

  /**
   * An effective limit.
   *
   * @param value the maximum, {@link #NONE} for no limit
   * @param ofTenant whether it is the tenant's limit, which only the platform can raise
   */
  public record Bound(Limit limit, long value, boolean ofTenant) {
    /** Names the limit and the role that can raise it. The text ends a sentence after a colon. */
    public String named() {
      return ofTenant
          ? "the limit %s of the tenant, which an operator of the platform can raise"
              .formatted(limit.field())
          : "the limit %s of the project, which an owner of the tenant can raise"
              .formatted(limit.field());
    }
  }

  /**
   * @param tenant text of its id, where an unknown id has the defaults
   */
  public Bound ofTenant(String tenant, Limit limit) {
    return new Bound(limit, set(tenant, null, limit, tenantDefault(limit)), true);
  }

  /**
   * Returns the maximum for a project, which is the tenant's limit. Active jobs of a tenant without
   * a limit have no common maximum, so each project is limited by the platform's default, because
   * each submission counts them.
   */
  public Bound mostOfProject(TenantId tenant, Limit limit) {
    Bound whole = ofTenant(tenant.text(), limit);
    return limit == Limit.ACTIVE_JOBS && whole.value() == NONE
        ? new Bound(limit, ACTIVE_JOBS_OF_A_PROJECT, true)
        : whole;
  }

  /** Returns the smaller of the project's limit and its maximum. */
  public Bound ofProject(TenantId tenant, String project, Limit limit) {
    Bound whole = mostOfProject(tenant, limit);
    long own = set(tenant.text(), project, limit, projectDefault(limit));
    return own < whole.value() ? new Bound(limit, own, false) : whole;
  }

  private long set(String tenant, @Nullable String project, Limit limit, long otherwise) {
    SetLimits there = places.get(key(tenant, project));
    return there == null ? otherwise : there.values().getOrDefault(limit, otherwise);
  }

  private long tenantDefault(Limit limit) {
    return switch (limit) {
      case ACTIVE_JOBS, MAX_RUNTIME, WORKDIR_MIB, SESSIONS -> NONE;
      case DECISION_DAYS -> DAYS_OF_DECISIONS;
      case PROJECTS -> PROJECTS_OF_A_TENANT;
      case REQUESTS_PER_MINUTE -> requests(CALLERS_OF_A_TENANT);
      case SPEC_BYTES, ARRAY_ELEMENTS -> limit.most();
    };
  }

  private long projectDefault(Limit limit) {
    return switch (limit) {
      case ACTIVE_JOBS -> ACTIVE_JOBS_OF_A_PROJECT;
      case WORKDIR_MIB -> WORKDIR_MIB_OF_A_PROJECT;
      case SESSIONS -> SESSIONS_OF_A_PROJECT;
      case PROJECTS, MAX_RUNTIME, DECISION_DAYS -> NONE;
      case REQUESTS_PER_MINUTE -> requests(1);
      case SPEC_BYTES, ARRAY_ELEMENTS -> limit.most();
    };
  }

  /**
   * Caps the default at the largest limit that can be set, so that the API's bounds hold for
   * defaults.
   */
  private long requests(int callers) {
    return requestsPerMinute == 0
        ? NONE
        : Math.min((long) requestsPerMinute * callers, Limit.REQUESTS_PER_MINUTE.most());
  }
}
