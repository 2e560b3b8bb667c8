package dev.fairlead.limit.memory;

import dev.fairlead.limit.LimitStore;
import dev.fairlead.limit.SetLimits;
import dev.fairlead.tenant.Project;
import dev.fairlead.tenant.ProjectId;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.tenant.TenantStore;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.memory.MemoryDatabase;
import dev.fairlead.transaction.memory.MemoryTable;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Twin of {@link LimitStore}. */
public final class MemoryLimitStore implements LimitStore {
  private final MemoryDatabase database;
  private final TenantStore tenants;
  private final MemoryTable<UUID, SetLimits> rows;

  public MemoryLimitStore(MemoryDatabase database, TenantStore tenants) {
    this.database = database;
    this.tenants = tenants;
    this.rows = database.table();
  }

  @Override
  public List<Named> all() {
    return database.call(() -> rows.all().stream().flatMap(this::named).toList());
  }

  /** Those of a project that is gone went with it. */
  private Stream<Named> named(SetLimits limits) {
    ProjectId project = limits.project();
    return project == null
        ? Stream.of(new Named(limits, null))
        : tenants.project(limits.tenant(), project).map(Project::name).stream()
            .map(name -> new Named(limits, name));
  }

  @Override
  public SetLimits of(TenantId tenant, @Nullable ProjectId project) {
    return database.call(() ->
        found(tenant, project)
            .filter(limits -> limits.tenant().equals(tenant))
            .orElseGet(() -> SetLimits.none(tenant, project)));
  }

  private Optional<SetLimits> found(TenantId tenant, @Nullable ProjectId project) {
    return rows.find(place(tenant, project));
  }

  private static UUID place(TenantId tenant, @Nullable ProjectId project) {
    return project == null ? tenant.value() : project.value();
  }

  @Override
  public void put(SetLimits limits) {
    database.run(() -> {
      long stored = found(limits.tenant(), limits.project()).map(SetLimits::version).orElse(0L);
      if (stored != limits.version() - 1) {
        throw new Conflict(Conflict.Guard.VERSION, limits.tenant().text());
      }
      rows.put(place(limits.tenant(), limits.project()), limits);
    });
  }
}
