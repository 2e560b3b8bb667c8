package dev.fairlead.limit;

import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Limits that were set for a tenant or for one of its projects; one that is not set has its
 * default.
 *
 * @param project null for the tenant itself
 * @param version 0 before any was set
 */
public record SetLimits(
    TenantId tenant, @Nullable ProjectId project, SortedMap<Limit, Long> values, long version) {
  public SetLimits {
    values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
  }

  /** Without any. */
  public static SetLimits none(TenantId tenant, @Nullable ProjectId project) {
    return new SetLimits(tenant, project, Collections.emptySortedMap(), 0);
  }

  /** With these in place of all that were set. */
  public SetLimits with(SortedMap<Limit, Long> next) {
    return new SetLimits(tenant, project, next, version + 1);
  }
}
