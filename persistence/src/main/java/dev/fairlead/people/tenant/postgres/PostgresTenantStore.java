package dev.fairlead.people.tenant.postgres;

import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Project;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.Tenant;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
class PostgresTenantStore implements TenantStore {
  private static final SqlFile HOLD = SqlFile.named("tenant/hold-project");
  private static final SqlFile DELETE = SqlFile.named("tenant/delete-project");

  private final Transactions transactions;
  private final TenantRepository tenants;
  private final ProjectRepository projects;
  private final JdbcClient jdbc;

  PostgresTenantStore(
      Transactions transactions,
      TenantRepository tenants,
      ProjectRepository projects,
      JdbcClient jdbc) {
    this.transactions = transactions;
    this.tenants = tenants;
    this.projects = projects;
    this.jdbc = jdbc;
  }

  @Override
  public Optional<Tenant> tenantNamed(String name) {
    return transactions.forAllTenants(() -> tenants.findByName(name).map(TenantEntity::tenant));
  }

  @Override
  public Optional<Tenant> tenant(TenantId id) {
    return inside(id, () -> tenants.findById(id.value()).map(TenantEntity::tenant));
  }

  @Override
  public List<Tenant> tenants() {
    return transactions.forAllTenants(
        () -> tenants.findByOrderByName().stream().map(TenantEntity::tenant).toList());
  }

  @Override
  public Optional<Project> projectNamed(TenantId tenant, String name) {
    return inside(
        tenant,
        () -> projects.findByTenantAndName(tenant.value(), name).map(ProjectEntity::project));
  }

  @Override
  public boolean holdProject(TenantId tenant, String name) {
    return inside(
        tenant,
        () ->
            jdbc.sql(HOLD.text())
                .param("tenant", tenant.value())
                .param("name", name)
                .query(UUID.class)
                .optional()
                .isPresent());
  }

  @Override
  public Optional<Project> project(TenantId tenant, ProjectId id) {
    return inside(
        tenant,
        () -> projects.findByTenantAndId(tenant.value(), id.value()).map(ProjectEntity::project));
  }

  @Override
  public List<Project> projects(TenantId tenant) {
    return inside(tenant, () -> listed(projects.findByTenantOrderByName(tenant.value())));
  }

  @Override
  public List<Project> projects(TenantId tenant, List<ProjectId> among) {
    List<UUID> ids = among.stream().map(ProjectId::value).toList();
    return inside(
        tenant, () -> listed(projects.findByTenantAndIdInOrderByName(tenant.value(), ids)));
  }

  @Override
  public List<Project> strictProjects() {
    return transactions.forAllTenants(
        () -> listed(projects.findByStrictEgressIsNotNullOrderByNamespace()));
  }

  private static List<Project> listed(List<ProjectEntity> rows) {
    return rows.stream().map(ProjectEntity::project).toList();
  }

  private <T> T inside(TenantId tenant, Supplier<T> work) {
    return transactions.inTenant(tenant, () -> work.get());
  }

  @Override
  public void insert(Tenant tenant) {
    transactions.runInTenant(
        tenant.id(),
        () -> {
          Constraints.unique(
              () -> tenants.saveAndFlush(TenantEntity.of(tenant)),
              () -> new Conflict(Conflict.Guard.NAME_TAKEN, tenant.name()));
        });
  }

  @Override
  public void update(Tenant tenant) {
    transactions.runInTenant(
        tenant.id(),
        () -> {
          tenants.change(
              tenant.id().value(),
              tenant.version() - 1,
              () -> new Conflict(Conflict.Guard.VERSION, tenant.name()),
              row -> row.set(tenant));
        });
  }

  @Override
  public void insert(Project project) {
    transactions.runInTenant(
        project.tenant(),
        () -> {
          Constraints.unique(
              () -> projects.saveAndFlush(ProjectEntity.of(project)),
              () -> new Conflict(Conflict.Guard.NAME_TAKEN, project.name()));
        });
  }

  @Override
  public void update(Project project) {
    transactions.runInTenant(
        project.tenant(),
        () -> {
          projects.change(
              project.id().value(),
              project.version() - 1,
              () -> new Conflict(Conflict.Guard.VERSION, project.name()),
              row -> row.set(project));
        });
  }

  @Override
  public void delete(Project project) {
    transactions.runInTenant(
        project.tenant(),
        () -> {
          try {
            int gone =
                jdbc.sql(DELETE.text())
                    .param("id", project.id().value())
                    .param("version", project.version())
                    .update();
            Conflict.unlessOne(gone, Conflict.Guard.REFERENCED, project.name());
          } catch (DataIntegrityViolationException e) {
            throw Constraints.refusedReference(e)
                ? new Conflict(Conflict.Guard.REFERENCED, project.name())
                : e;
          }
        });
  }
}
