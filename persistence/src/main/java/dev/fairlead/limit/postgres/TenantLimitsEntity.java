package dev.fairlead.limit.postgres;

import dev.fairlead.limit.Limit;
import dev.fairlead.limit.SetLimits;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Row of {@code tenant_limits}. */
@Entity
@Table(name = "tenant_limits")
class TenantLimitsEntity {
  @Id UUID place = new UUID(0, 0);
  UUID tenant = new UUID(0, 0);
  @Nullable UUID project;

  @Column(name = "active_jobs")
  @Nullable Long activeJobs;

  @Nullable Long projects;

  @Column(name = "requests_per_minute")
  @Nullable Long requestsPerMinute;

  @Column(name = "spec_bytes")
  @Nullable Long specBytes;

  long version;

  static TenantLimitsEntity of(SetLimits limits) {
    TenantLimitsEntity row = new TenantLimitsEntity();
    ProjectId project = limits.project();
    row.tenant = limits.tenant().value();
    row.project = project == null ? null : project.value();
    row.place = place(limits.tenant(), project);
    row.activeJobs = limits.values().get(Limit.ACTIVE_JOBS);
    row.projects = limits.values().get(Limit.PROJECTS);
    row.requestsPerMinute = limits.values().get(Limit.REQUESTS_PER_MINUTE);
    row.specBytes = limits.values().get(Limit.SPEC_BYTES);
    row.version = limits.version();
    return row;
  }

  static UUID place(TenantId tenant, @Nullable ProjectId project) {
    return project == null ? tenant.value() : project.value();
  }

  SetLimits limits() {
    SortedMap<Limit, Long> values = new TreeMap<>();
    put(values, Limit.ACTIVE_JOBS, activeJobs);
    put(values, Limit.PROJECTS, projects);
    put(values, Limit.REQUESTS_PER_MINUTE, requestsPerMinute);
    put(values, Limit.SPEC_BYTES, specBytes);
    return new SetLimits(
        new TenantId(tenant), project == null ? null : new ProjectId(project), values, version);
  }

  private static void put(SortedMap<Limit, Long> values, Limit limit, @Nullable Long value) {
    if (value != null) {
      values.put(limit, value);
    }
  }
}
