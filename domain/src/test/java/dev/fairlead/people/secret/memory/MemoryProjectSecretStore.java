package dev.fairlead.people.secret.memory;

import dev.fairlead.kernel.keyring.Secret;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.secret.ProjectSecret;
import dev.fairlead.people.secret.ProjectSecretStore;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** In-memory implementation of {@link ProjectSecretStore}. */
public final class MemoryProjectSecretStore implements ProjectSecretStore {
  private final MemoryDatabase database;
  private final MemoryTable<UUID, Row> rows;

  private record Row(ProjectSecret secret, SortedMap<String, Secret> values) {}

  public MemoryProjectSecretStore(MemoryDatabase database) {
    this.database = database;
    this.rows = database.table();
  }

  @Override
  public List<ProjectSecret> all(TenantId tenant, ProjectId project) {
    return database.call(() -> of(tenant, project).stream().map(Row::secret).toList());
  }

  private List<Row> of(TenantId tenant, ProjectId project) {
    return rows.all().stream()
        .filter(row -> row.secret().tenant().equals(tenant))
        .filter(row -> row.secret().project().equals(project))
        .sorted(Comparator.comparing(row -> row.secret().name()))
        .toList();
  }

  @Override
  public Optional<ProjectSecret> find(TenantId tenant, ProjectId project, String name) {
    return all(tenant, project).stream().filter(s -> s.name().equals(name)).findFirst();
  }

  @Override
  public List<ProjectSecret> named(TenantId tenant, ProjectId project, Collection<String> names) {
    return all(tenant, project).stream().filter(s -> names.contains(s.name())).toList();
  }

  @Override
  public SortedMap<String, SortedMap<String, Secret>> values(List<ProjectSecret> seen) {
    return database.call(() -> {
      SortedMap<String, SortedMap<String, Secret>> found = new TreeMap<>();
      rows.all().stream()
          .filter(row -> seen.contains(row.secret()))
          .forEach(row -> found.put(row.secret().name(), row.values()));
      return found;
    });
  }

  @Override
  public void insert(ProjectSecret secret, SortedMap<String, Secret> values) {
    database.run(() -> {
      if (find(secret.tenant(), secret.project(), secret.name()).isPresent()) {
        throw new Conflict(Conflict.Guard.NAME_TAKEN, secret.name());
      }
      rows.put(secret.id(), new Row(secret, values));
    });
  }

  @Override
  public void update(ProjectSecret secret, SortedMap<String, Secret> values) {
    database.run(() -> {
      stored(secret, secret.version() - 1);
      rows.put(secret.id(), new Row(secret, values));
    });
  }

  @Override
  public void delete(ProjectSecret secret) {
    database.run(() -> {
      stored(secret, secret.version());
      rows.remove(secret.id());
    });
  }

  private void stored(ProjectSecret secret, long version) {
    boolean there =
        rows.find(secret.id())
            .map(Row::secret)
            .filter(s -> s.version() == version && s.tenant().equals(secret.tenant()))
            .isPresent();
    if (!there) {
      throw new Conflict(Conflict.Guard.VERSION, secret.name());
    }
  }
}
