package dev.fairlead.limit.postgres;

import dev.fairlead.limit.LimitStore;
import dev.fairlead.limit.SetLimits;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Row of {@code tenant_limits} as it is read.
 *
 * @param limits null when none is set
 * @param projectName null for a tenant
 */
record TenantLimitsRow(
    UUID tenant,
    @Nullable UUID project,
    TenantLimitsEntity.@Nullable Values limits,
    long version,
    @Nullable String projectName) {
  LimitStore.Named named() {
    return new LimitStore.Named(setLimits(), projectName);
  }

  SetLimits setLimits() {
    return new SetLimits(
        new TenantId(tenant),
        project == null ? null : new ProjectId(project),
        (limits == null ? TenantLimitsEntity.Values.NONE : limits).set(),
        version);
  }
}
