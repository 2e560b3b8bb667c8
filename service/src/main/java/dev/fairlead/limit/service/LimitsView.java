package dev.fairlead.limit.service;

import dev.fairlead.limit.Limit;
import dev.fairlead.limit.SetLimits;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Limits of a tenant or of a project as people read them.
 *
 * @param tenant name
 * @param project name; null for the tenant itself
 * @param effective what holds: the smaller of the project's and the tenant's; without what is not
 *     limited
 */
public record LimitsView(
    String tenant, @Nullable String project, SetLimits set, SortedMap<Limit, Long> effective) {}
