package dev.fairlead.people.tenant;

import java.util.List;
import java.util.Optional;

/**
 * Tenants and projects. Every look-up is inside one tenant; an id of another tenant is simply not
 * found.
 */
public interface TenantStore {
  Optional<Tenant> tenantNamed(String name);

  Optional<Tenant> tenant(TenantId id);

  /** Of the whole installation, by name. */
  List<Tenant> tenants();

  Optional<Project> projectNamed(TenantId tenant, String name);

  /**
   * Whether the tenant has the project, which is not deleted before the end of the transaction: for
   * rows that name a project.
   */
  boolean holdProject(TenantId tenant, String name);

  Optional<Project> project(TenantId tenant, ProjectId id);

  /** By name. */
  List<Project> projects(TenantId tenant);

  /** Those of them with these ids, by name. */
  List<Project> projects(TenantId tenant, List<ProjectId> among);

  /** Of all tenants, those with strict egress, by namespace. */
  List<Project> strictProjects();

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN when there is a tenant of that name
   */
  void insert(Tenant tenant);

  /**
   * Replaces what may change.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(Tenant tenant);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN when the tenant has a project of
   *     that name
   */
  void insert(Project project);

  /**
   * Replaces what may change.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION unless the stored version is one below
   */
  void update(Project project);

  /**
   * @throws dev.fairlead.kernel.transaction.Conflict REFERENCED when it has jobs, also ended ones,
   *     or is not there in this version
   */
  void delete(Project project);
}
