package dev.fairlead.people.tenant;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stores tenants and projects. Every lookup is inside one tenant, so an id of another tenant is not
 * found.
 */
public interface TenantStore {
  Optional<Tenant> tenantNamed(String name);

  Optional<Tenant> tenant(TenantId id);

  /** Returns all tenants of the installation, by name. */
  List<Tenant> tenants();

  Optional<Project> projectNamed(TenantId tenant, String name);

  /**
   * Returns the project of the actor's tenant.
   *
   * @throws Refusal NOT_FOUND
   */
  default Project project(Actor actor, String name) {
    return projectNamed(actor.tenant(), name)
        .orElseThrow(
            () -> new Refusal(ProblemCode.NOT_FOUND, "There is no project \"" + name + "\"."));
  }

  /**
   * Returns the id of the project of the actor's tenant, null without a name.
   *
   * @throws Refusal NOT_FOUND
   */
  default @Nullable ProjectId projectId(Actor actor, @Nullable String name) {
    return name == null ? null : project(actor, name).id();
  }

  /**
   * Returns whether the tenant has the project, which is not deleted before the end of the
   * transaction: for rows that name a project.
   */
  boolean holdProject(TenantId tenant, String name);

  Optional<Project> project(TenantId tenant, ProjectId id);

  /** Returns the projects by name. */
  List<Project> projects(TenantId tenant);

  /** Returns the projects with these ids, by name. */
  List<Project> projects(TenantId tenant, List<ProjectId> among);

  /** Returns the projects of all tenants with strict egress, by namespace. */
  List<Project> strictProjects();

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN if a tenant of that name exists
   */
  void insert(Tenant tenant);

  /**
   * Replaces the mutable fields.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(Tenant tenant);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN if the tenant has a project of that
   *     name
   */
  void insert(Project project);

  /**
   * Replaces the mutable fields.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(Project project);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict REFERENCED if it has jobs, including ended
   *     ones, or this version is not stored
   */
  void delete(Project project);
}
