package dev.fairlead.people.tenant.memory;

import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** In-memory implementation of {@link TenantStore}. */
public final class MemoryTenantStore implements TenantStore {
  private final MemoryDatabase database;
  private final MemoryTable<TenantId, Tenant> tenants;
  private final MemoryTable<ProjectId, Project> projects;

  private final List<Predicate<ProjectId>> referrers = new ArrayList<>();

  public MemoryTenantStore(MemoryDatabase database) {
    this.database = database;
    this.tenants = database.table();
    this.projects = database.table();
  }

  @Override
  public Optional<Tenant> tenantNamed(String name) {
    return database.call(
        () -> tenants.all().stream().filter(t -> t.name().equals(name)).findFirst());
  }

  @Override
  public Optional<Tenant> tenant(TenantId id) {
    return database.call(() -> tenants.find(id));
  }

  @Override
  public List<Tenant> tenants() {
    return database.call(
        () -> tenants.all().stream().sorted(Comparator.comparing(Tenant::name)).toList());
  }

  @Override
  public void update(Tenant tenant) {
    database.run(() -> {
      if (tenants.find(tenant.id()).filter(t -> t.version() == tenant.version() - 1).isEmpty()) {
        throw new Conflict(Conflict.Guard.VERSION, tenant.name());
      }
      tenants.put(tenant.id(), tenant);
    });
  }

  @Override
  public Optional<Project> projectNamed(TenantId tenant, String name) {
    return projects(tenant).stream().filter(p -> p.name().equals(name)).findFirst();
  }

  @Override
  public boolean holdProject(TenantId tenant, String name) {
    return projectNamed(tenant, name).isPresent();
  }

  @Override
  public Optional<Project> project(TenantId tenant, ProjectId id) {
    return database.call(() -> projects.find(id).filter(p -> p.tenant().equals(tenant)));
  }

  @Override
  public List<Project> projects(TenantId tenant) {
    return database.call(() ->
        projects.all().stream()
            .filter(p -> p.tenant().equals(tenant))
            .sorted(Comparator.comparing(Project::name))
            .toList());
  }

  @Override
  public List<Project> projects(TenantId tenant, List<ProjectId> among) {
    return projects(tenant).stream().filter(p -> among.contains(p.id())).toList();
  }

  @Override
  public List<Project> strictProjects() {
    return database.call(() ->
        projects.all().stream()
            .filter(p -> p.egress().strict())
            .sorted(Comparator.comparing(Project::namespace))
            .toList());
  }

  @Override
  public void insert(Tenant tenant) {
    database.run(() -> {
      if (tenantNamed(tenant.name()).isPresent()) {
        throw new Conflict(Conflict.Guard.NAME_TAKEN, tenant.name());
      }
      tenants.put(tenant.id(), tenant);
    });
  }

  @Override
  public void insert(Project project) {
    database.run(() -> {
      if (projectNamed(project.tenant(), project.name()).isPresent()) {
        throw new Conflict(Conflict.Guard.NAME_TAKEN, project.name());
      }
      projects.put(project.id(), project);
    });
  }

  @Override
  public void update(Project project) {
    database.run(() -> {
      boolean seen =
          projects.find(project.id()).filter(p -> p.version() == project.version() - 1).isPresent();
      if (!seen) {
        throw new Conflict(Conflict.Guard.VERSION, project.name());
      }
      projects.put(project.id(), project);
    });
  }

  @Override
  public void delete(Project project) {
    database.run(() -> {
      if (!projects.find(project.id()).filter(project::equals).isPresent()
          || referrers.stream().anyMatch(r -> r.test(project.id()))) {
        throw new Conflict(Conflict.Guard.REFERENCED, project.name());
      }
      projects.remove(project.id());
    });
  }

  /** Sets the test for rows that refer to a project, like a foreign key. */
  public void referredBy(Predicate<ProjectId> referrer) {
    referrers.add(referrer);
  }
}
