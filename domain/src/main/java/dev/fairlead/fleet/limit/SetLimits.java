package dev.fairlead.fleet.limit;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.TenantId;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Limits that were set for a tenant or for one of its projects. A limit that is not set has its
 * default.
 *
 * @param project name, null for the tenant itself
 */
public record SetLimits(@Nullable String project, SortedMap<Limit, Long> values) {
  /** One document for each tenant and each project, named by its id. */
  public static final ConfigType<SetLimits> DOCUMENTS =
      new ConfigType<>(ConfigKind.LIMITS, SetLimits.class);

  public SetLimits {
    values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
  }

  /**
   * Returns the document before any limit was set.
   *
   * @param project null for the tenant itself
   */
  public static ConfigDocument<SetLimits> none(TenantId tenant, @Nullable Project project) {
    return new ConfigDocument<>(
        DOCUMENTS,
        project == null ? tenant.text() : project.id().text(),
        tenant,
        project == null ? null : project.id(),
        new SetLimits(project == null ? null : project.name(), Collections.emptySortedMap()),
        0);
  }

  /** Returns the document with these limits, which replace all others. */
  public SetLimits with(SortedMap<Limit, Long> next) {
    return new SetLimits(project, next);
  }
}
