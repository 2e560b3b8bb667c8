package dev.fairlead.kernel.config.postgres;

import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.config.ConfigStore;
import dev.fairlead.kernel.config.ConfigType;
import dev.fairlead.kernel.postgres.Change;
import dev.fairlead.kernel.postgres.Changes;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.TenantId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;

/** {@link ConfigStore} on PostgreSQL. */
@Component
class PostgresConfigStore implements ConfigStore {
  private final Transactions transactions;
  private final ConfigDocumentRepository rows;
  private final Changes changes;

  PostgresConfigStore(Transactions transactions, ConfigDocumentRepository rows, Changes changes) {
    this.transactions = transactions;
    this.rows = rows;
    this.changes = changes;
  }

  @Override
  public <T extends Record> List<ConfigDocument<T>> all(ConfigType<T> type) {
    return transactions.forAllTenants(() ->
        rows.findByIdKindOrderByIdName(type.kind()).stream()
            .map(row -> row.document(type))
            .toList());
  }

  @Override
  public int count(ConfigType<?> type) {
    return transactions.forAllTenants(() -> rows.countByIdKind(type.kind()));
  }

  @Override
  public <T extends Record> List<ConfigDocument<T>> all(ConfigType<T> type, TenantId tenant) {
    return inTenant(
        tenant,
        () ->
            rows.findByIdKindAndTenantOrderByIdName(type.kind(), tenant.value()).stream()
                .map(row -> row.document(type))
                .toList());
  }

  @Override
  public <T extends Record> Optional<ConfigDocument<T>> find(
      ConfigType<T> type, @Nullable TenantId tenant, String name) {
    return inTenant(
        tenant,
        () ->
            rows.findById(ConfigDocumentEntity.key(type, name))
                .map(row -> row.document(type))
                .filter(document -> Objects.equals(document.tenant(), tenant)));
  }

  @Override
  public <T extends Record> ConfigDocument<T> put(ConfigDocument<T> document) {
    return inTenant(document.tenant(), () -> guarded(document, () -> saved(document)))
        .document(document.type());
  }

  private ConfigDocumentEntity saved(ConfigDocument<?> document) {
    return document.version() == 0
        ? rows.saveAndFlush(ConfigDocumentEntity.of(document))
        : rows.change(
            key(document), document.version(), () -> stale(document), row -> row.set(document));
  }

  @Override
  public void remove(ConfigDocument<?> document) {
    boolean _ =
        inTenant(
            document.tenant(),
            () ->
                guarded(
                    document,
                    () -> {
                      rows.remove(key(document), document.version(), () -> stale(document));
                      return true;
                    }));
  }

  private static Conflict stale(ConfigDocument<?> document) {
    return new Conflict(Guard.VERSION, document.name());
  }

  private static ConfigDocumentEntity.Key key(ConfigDocument<?> document) {
    return ConfigDocumentEntity.key(document.type(), document.name());
  }

  private <T> T inTenant(@Nullable TenantId tenant, Supplier<T> work) {
    return tenant == null ? transactions.forAllTenants(work) : transactions.inTenant(tenant, work);
  }

  private <T> T guarded(ConfigDocument<?> document, Supplier<T> write) {
    try {
      T written = write.get();
      changes.note(Change.SETTINGS);
      return written;
    } catch (DataIntegrityViolationException refused) {
      if (Constraints.refusedReference(refused)) {
        throw new Conflict(Guard.REFERENCED, document.name());
      }
      throw Constraints.refusedUnique(refused) ? stale(document) : refused;
    }
  }
}
