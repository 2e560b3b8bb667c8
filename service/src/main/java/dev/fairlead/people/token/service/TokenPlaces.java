package dev.fairlead.people.token.service;

import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.people.token.ApiToken;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Resolves the scope of a token's role: a project, a cluster, or everything. */
@Component
public class TokenPlaces {
  private final TenantStore tenants;
  private final InventoryStore inventory;

  public TokenPlaces(TenantStore tenants, InventoryStore inventory) {
    this.tenants = tenants;
    this.inventory = inventory;
  }

  /**
   * The named project, null for a role outside projects.
   *
   * @throws Refusal INVALID_FIELD when role and project do not match, NOT_FOUND
   */
  @Nullable ProjectId project(Actor actor, NewToken wanted) {
    boolean needed = wanted.role().scope() == Role.Scope.PROJECT;
    if (needed != (wanted.project() != null)) {
      throw invalid(
          needed
              ? "The role "
                  + wanted.role().wire()
                  + " is a project role: set the project with project=."
              : "The role "
                  + wanted.role().wire()
                  + " does not apply to a project. Remove project=.");
    }
    return tenants.projectId(actor, wanted.project());
  }

  /**
   * The named cluster, null for a different role than {@link Role#MONITOR}.
   *
   * @throws Refusal INVALID_FIELD when role and cluster do not match, NOT_FOUND
   */
  @Nullable ClusterId cluster(NewToken wanted) {
    boolean needed = wanted.role() == Role.MONITOR;
    if (needed != (wanted.cluster() != null)) {
      throw invalid(
          needed
              ? "A token with the role monitor reports for one cluster: set cluster."
              : "The role "
                  + wanted.role().wire()
                  + " does not apply to a cluster. Remove cluster.");
    }
    String name = wanted.cluster();
    return name == null ? null : FleetNames.cluster(inventory, name).id();
  }

  /**
   * The token with the name of its project.
   *
   * @param names cache of project names, which is extended
   */
  TokenView view(ApiToken token, Map<ProjectId, String> names) {
    ProjectId project = token.project();
    return new TokenView(
        token,
        project == null
            ? null
            : names.computeIfAbsent(
                project,
                id -> tenants.project(token.tenant(), id).map(Project::name).orElse(id.text())));
  }

  private static Refusal invalid(String detail) {
    return Refusal.field("/role", detail);
  }
}
