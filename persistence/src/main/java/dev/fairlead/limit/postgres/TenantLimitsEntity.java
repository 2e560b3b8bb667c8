package dev.fairlead.limit.postgres;

import dev.fairlead.limit.Limit;
import dev.fairlead.limit.SetLimits;
import dev.fairlead.postgres.NewRow;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** New row of {@code tenant_limits}. */
@Entity
@Table(name = "tenant_limits")
class TenantLimitsEntity implements NewRow<UUID> {
  @Id UUID place = new UUID(0, 0);
  UUID tenant = new UUID(0, 0);
  @Nullable UUID project;
  @Embedded Values limits = Values.NONE;
  @Version long version = 1;

  /** What is set; null is the default. */
  @Embeddable
  record Values(
      @Column(name = "active_jobs") @Nullable Long activeJobs,
      @Nullable Long projects,
      @Column(name = "requests_per_minute") @Nullable Long requestsPerMinute,
      @Column(name = "spec_bytes") @Nullable Long specBytes,
      @Column(name = "array_elements") @Nullable Long arrayElements,
      @Column(name = "max_runtime_seconds") @Nullable Long maxRuntimeSeconds,
      @Column(name = "decision_days") @Nullable Long decisionDays) {
    static final Values NONE = new Values(null, null, null, null, null, null, null);

    static Values of(SetLimits limits) {
      SortedMap<Limit, Long> set = limits.values();
      return new Values(
          set.get(Limit.ACTIVE_JOBS),
          set.get(Limit.PROJECTS),
          set.get(Limit.REQUESTS_PER_MINUTE),
          set.get(Limit.SPEC_BYTES),
          set.get(Limit.ARRAY_ELEMENTS),
          set.get(Limit.MAX_RUNTIME),
          set.get(Limit.DECISION_DAYS));
    }

    SortedMap<Limit, Long> set() {
      SortedMap<Limit, Long> set = new TreeMap<>();
      put(set, Limit.ACTIVE_JOBS, activeJobs);
      put(set, Limit.PROJECTS, projects);
      put(set, Limit.REQUESTS_PER_MINUTE, requestsPerMinute);
      put(set, Limit.SPEC_BYTES, specBytes);
      put(set, Limit.ARRAY_ELEMENTS, arrayElements);
      put(set, Limit.MAX_RUNTIME, maxRuntimeSeconds);
      put(set, Limit.DECISION_DAYS, decisionDays);
      return set;
    }

    private static void put(SortedMap<Limit, Long> set, Limit limit, @Nullable Long value) {
      if (value != null) {
        set.put(limit, value);
      }
    }
  }

  static TenantLimitsEntity of(SetLimits limits) {
    TenantLimitsEntity row = new TenantLimitsEntity();
    ProjectId project = limits.project();
    row.tenant = limits.tenant().value();
    row.project = project == null ? null : project.value();
    row.place = place(limits.tenant(), project);
    row.limits = Values.of(limits);
    row.version = limits.version();
    return row;
  }

  static UUID place(TenantId tenant, @Nullable ProjectId project) {
    return project == null ? tenant.value() : project.value();
  }

  @Override
  public UUID getId() {
    return place;
  }
}
