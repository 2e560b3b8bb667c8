package dev.fairlead.kernel.config.memory;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.people.tenant.ProjectId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.people.tenant.TenantStore;
import dev.fairlead.work.event.WakeUps.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link ConfigStore}. */
public final class MemoryConfigStore implements ConfigStore {
  private final MemoryDatabase database;
  private final TenantStore tenants;
  private final MemoryTable<String, ConfigDocument<?>> rows;
  private final List<Predicate<ConfigDocument<?>>> references = new ArrayList<>();

  public MemoryConfigStore(MemoryDatabase database, TenantStore tenants) {
    this.database = database;
    this.tenants = tenants;
    this.rows = database.table();
  }

  /** Sets the test for rows of another twin that refer to a document, like a foreign key. */
  public void referredBy(Predicate<ConfigDocument<?>> reference) {
    references.add(reference);
  }

  @Override
  public <T extends Record> List<ConfigDocument<T>> all(ConfigType<T> type) {
    return database.call(() ->
        rows.all().stream()
            .filter(row -> row.type().equals(type) && !deletedWithProject(row))
            .map(row -> typed(row, type))
            .toList());
  }

  @Override
  public int count(ConfigType<?> type) {
    return all(type).size();
  }

  @Override
  public <T extends Record> List<ConfigDocument<T>> all(ConfigType<T> type, TenantId tenant) {
    return all(type).stream().filter(row -> tenant.equals(row.tenant())).toList();
  }

  @Override
  public <T extends Record> Optional<ConfigDocument<T>> find(
      ConfigType<T> type, @Nullable TenantId tenant, String name) {
    return database.call(() ->
        rows.find(key(type, name))
            .filter(row -> Objects.equals(row.tenant(), tenant) && !deletedWithProject(row))
            .map(row -> typed(row, type)));
  }

  @Override
  public <T extends Record> ConfigDocument<T> put(ConfigDocument<T> document) {
    return database.call(() -> {
      ConfigDocument<?> old = atVersion(document);
      boolean same = old != null && old.value().equals(document.value());
      ConfigDocument<T> next =
          new ConfigDocument<>(
              document.type(),
              document.name(),
              document.tenant(),
              document.project(),
              document.value(),
              document.version() + (same ? 0 : 1));
      rows.put(key(document.type(), document.name()), next);
      database.changed(Topic.SETTINGS);
      return next;
    });
  }

  @Override
  public void remove(ConfigDocument<?> document) {
    database.run(() -> {
      atVersion(document);
      if (references.stream().anyMatch(reference -> reference.test(document))) {
        throw new Conflict(Guard.REFERENCED, document.name());
      }
      rows.remove(key(document.type(), document.name()));
      database.changed(Topic.SETTINGS);
    });
  }

  private @Nullable ConfigDocument<?> atVersion(ConfigDocument<?> document) {
    ConfigDocument<?> old = rows.find(key(document.type(), document.name())).orElse(null);
    if ((old == null ? 0 : old.version()) != document.version()) {
      throw new Conflict(Guard.VERSION, document.name());
    }
    return old;
  }

  private boolean deletedWithProject(ConfigDocument<?> row) {
    ProjectId project = row.project();
    TenantId tenant = row.tenant();
    return project != null && tenant != null && tenants.project(tenant, project).isEmpty();
  }

  @SuppressWarnings("unchecked") // equal types have equal classes
  private static <T extends Record> ConfigDocument<T> typed(
      ConfigDocument<?> row, ConfigType<T> type) {
    if (!row.type().equals(type)) {
      throw new IllegalArgumentException(row.name() + " is no " + type.kind());
    }
    return (ConfigDocument<T>) row;
  }

  private static String key(ConfigType<?> type, String name) {
    return type.kind() + " " + name;
  }
}
