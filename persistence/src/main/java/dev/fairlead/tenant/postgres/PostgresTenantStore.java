package dev.fairlead.tenant.postgres;

import dev.fairlead.postgres.Entities;
import dev.fairlead.postgres.RowLevelSecurity;
import dev.fairlead.postgres.SqlFile;
import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.Tenant;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import jakarta.persistence.TypedQuery;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** {@link TenantStore} on PostgreSQL. */
@Component
class PostgresTenantStore implements TenantStore {
  private static final SqlFile UPDATE_TENANT = SqlFile.named("tenant/update-tenant");
  private static final SqlFile UPDATE = SqlFile.named("tenant/update-project");
  private static final SqlFile DELETE = SqlFile.named("tenant/delete-project");
  private final Transactions transactions;
  private final RowLevelSecurity wall;
  private final Entities entities;
  private final JdbcClient jdbc;

  PostgresTenantStore(
      Transactions transactions, RowLevelSecurity wall, Entities entities, JdbcClient jdbc) {
    this.transactions = transactions;
    this.wall = wall;
    this.entities = entities;
    this.jdbc = jdbc;
  }

  @Override
  public Optional<Tenant> tenantNamed(String name) {
    return transactions.forAllTenants(
        () -> tenant("from TenantEntity t where t.name = :key", name));
  }

  @Override
  public Optional<Tenant> tenant(TenantId id) {
    return transactions.call(() -> {
      wall.enter(id.value());
      return tenant("from TenantEntity t where t.id = :key", id.value());
    });
  }

  private Optional<Tenant> tenant(String jpql, Object key) {
    TypedQuery<TenantEntity> query =
        entities.query(jpql, TenantEntity.class).setParameter("key", key);
    return entities.list(query).stream().findFirst().map(TenantEntity::tenant);
  }

  @Override
  public List<Tenant> tenants() {
    return transactions
        .forAllTenants(() ->
            entities.list(
                entities.query("from TenantEntity t order by t.name", TenantEntity.class)))
        .stream()
        .map(TenantEntity::tenant)
        .toList();
  }

  @Override
  public Optional<Project> projectNamed(TenantId tenant, String name) {
    return projects(tenant, " and p.name = :name", q -> q.setParameter("name", name)).stream()
        .findFirst();
  }

  @Override
  public Optional<Project> project(TenantId tenant, ProjectId id) {
    return projects(tenant, " and p.id = :id", q -> q.setParameter("id", id.value())).stream()
        .findFirst();
  }

  @Override
  public List<Project> projects(TenantId tenant) {
    return projects(tenant, "", q -> q);
  }

  @Override
  public List<Project> projects(TenantId tenant, List<ProjectId> among) {
    List<UUID> ids = among.stream().map(ProjectId::value).toList();
    return projects(tenant, " and p.id in :ids", q -> q.setParameter("ids", ids));
  }

  private List<Project> projects(
      TenantId tenant, String condition, UnaryOperator<TypedQuery<ProjectEntity>> parameters) {
    String jpql = "from ProjectEntity p where p.tenant = :tenant" + condition + " order by p.name";
    return transactions.call(() -> {
      wall.enter(tenant.value());
      TypedQuery<ProjectEntity> query =
          entities.query(jpql, ProjectEntity.class).setParameter("tenant", tenant.value());
      return entities.list(parameters.apply(query)).stream().map(ProjectEntity::project).toList();
    });
  }

  @Override
  public void insert(Tenant tenant) {
    transactions.run(() -> {
      wall.enter(tenant.id().value());
      entities.insert(
          () -> new Conflict(Conflict.Guard.NAME_TAKEN, tenant.name()),
          List.of(TenantEntity.of(tenant)));
    });
  }

  @Override
  public void update(Tenant tenant) {
    transactions.run(() -> {
      wall.enter(tenant.id().value());
      int changed =
          jdbc.sql(UPDATE_TENANT.text())
              .param("id", tenant.id().value())
              .param("displayName", tenant.displayName())
              .param("state", tenant.state().name())
              .param("version", tenant.version())
              .update();
      if (changed != 1) {
        throw new Conflict(Conflict.Guard.VERSION, tenant.name());
      }
    });
  }

  @Override
  public void insert(Project project) {
    transactions.run(() -> {
      wall.enter(project.tenant().value());
      entities.insert(
          () -> new Conflict(Conflict.Guard.NAME_TAKEN, project.name()),
          List.of(ProjectEntity.of(project)));
    });
  }

  @Override
  public void update(Project project) {
    transactions.run(() -> {
      wall.enter(project.tenant().value());
      int changed =
          jdbc.sql(UPDATE.text())
              .param("id", project.id().value())
              .param("queue", project.defaultQueue())
              .param("version", project.version())
              .update();
      if (changed != 1) {
        throw new Conflict(Conflict.Guard.VERSION, project.name());
      }
    });
  }

  @Override
  public void delete(Project project) {
    transactions.run(() -> {
      wall.enter(project.tenant().value());
      try {
        int gone =
            jdbc.sql(DELETE.text())
                .param("id", project.id().value())
                .param("version", project.version())
                .update();
        if (gone != 1) {
          throw new Conflict(Conflict.Guard.REFERENCED, project.name());
        }
      } catch (DataIntegrityViolationException e) {
        throw Entities.refusedByReference(e)
            ? new Conflict(Conflict.Guard.REFERENCED, project.name())
            : e;
      }
    });
  }
}
