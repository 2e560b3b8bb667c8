package dev.fairlead.kernel.config;

import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import java.util.Locale;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Writes documents of the configuration, each change with its audit row and its history. */
public final class ConfigWriter {
  private final ConfigStore documents;
  private final AuditLog audit;

  public ConfigWriter(ConfigStore documents, AuditLog audit) {
    this.documents = documents;
    this.audit = audit;
  }

  /**
   * Stores the document in the open transaction.
   *
   * @param old null for a document that is not stored yet
   * @param detail detail of the audit row
   * @return the document in its stored version
   * @throws dev.fairlead.kernel.transaction.Conflict as {@link ConfigStore#put}
   */
  public <T extends Record> ConfigDocument<T> put(
      Actor actor,
      String operation,
      @Nullable ConfigDocument<T> old,
      ConfigDocument<T> next,
      SortedMap<String, Object> detail) {
    ConfigDocument<T> stored = documents.put(next);
    appendAudit(actor, operation, old, stored, detail);
    return stored;
  }

  /**
   * Deletes the document in the open transaction.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict as {@link ConfigStore#remove}
   */
  public <T extends Record> void remove(
      Actor actor, String operation, ConfigDocument<T> old, SortedMap<String, Object> detail) {
    documents.remove(old);
    appendAudit(actor, operation, old, null, detail);
  }

  private <T extends Record> void appendAudit(
      Actor actor,
      String operation,
      @Nullable ConfigDocument<T> old,
      @Nullable ConfigDocument<T> next,
      SortedMap<String, Object> detail) {
    ConfigDocument<T> of = Objects.requireNonNull(next == null ? old : next);
    T before = old == null ? null : old.value();
    T after = next == null ? null : next.value();
    audit.append(
        new AuditRecord(actor, operation, of.name(), true, detail)
            .changed(
                of.type().kind().name().toLowerCase(Locale.ROOT) + "/" + of.name(), before, after)
            .kept(of.type().kind(), of.name(), before, after));
  }
}
