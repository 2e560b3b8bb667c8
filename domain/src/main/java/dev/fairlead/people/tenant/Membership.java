package dev.fairlead.people.tenant;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A role of a principal in a tenant, or in one of its projects.
 *
 * @param project null for a role of the whole tenant
 */
public record Membership(TenantId tenant, @Nullable ProjectId project, Role role) {
  public Membership {
    Role.Scope scope = project == null ? Role.Scope.TENANT : Role.Scope.PROJECT;
    if (role.scope() != scope) {
      throw new IllegalArgumentException(role.wire() + " is not a role of a " + scope);
    }
  }

  /**
   * Returns the intersection: the smaller role in the narrower scope. The result is empty if they
   * have no scope in common.
   */
  public Optional<Membership> meet(Membership other) {
    boolean apart = project != null && other.project != null && !project.equals(other.project);
    if (apart || !tenant.equals(other.tenant)) {
      return Optional.empty();
    }
    ProjectId place = project == null ? other.project : project;
    Role mine = place == null ? role : role.inProject();
    Role theirs = place == null ? other.role : other.role.inProject();
    return Optional.of(new Membership(tenant, place, mine.compareTo(theirs) < 0 ? theirs : mine));
  }
}
