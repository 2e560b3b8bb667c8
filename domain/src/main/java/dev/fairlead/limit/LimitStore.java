package dev.fairlead.limit;

import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Limits that were set; those of a project go with it. */
public interface LimitStore {
  /** Of all tenants and projects. */
  List<Named> all();

  /**
   * Limits with the name of their project.
   *
   * @param project null for the tenant itself
   */
  record Named(SetLimits limits, @Nullable String project) {}

  /**
   * @param project null for the tenant itself
   * @return without any values, in version 0, when none was ever set
   */
  SetLimits of(TenantId tenant, @Nullable ProjectId project);

  /**
   * Replaces what was set.
   *
   * @throws dev.fairlead.transaction.Conflict VERSION unless the stored version is one below
   */
  void put(SetLimits limits);
}
