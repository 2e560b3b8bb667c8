package dev.fairlead.tenant;

import org.jspecify.annotations.Nullable;

/**
 * A role that a principal holds in a tenant, or in one of its projects.
 *
 * @param project null for a role of the whole tenant
 */
public record Membership(TenantId tenant, @Nullable ProjectId project, Role role) {
  public Membership {
    Role.Scope scope = project == null ? Role.Scope.TENANT : Role.Scope.PROJECT;
    if (role.scope() != scope) {
      throw new IllegalArgumentException(role.wire() + " is no role of a " + scope);
    }
  }
}
