package dev.fairlead.kernel.config;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.ProjectId;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Documents of one kind that belong to a tenant or to its projects. A change names the version that
 * the caller has read, and is refused when another version is stored.
 */
public final class TenantDocuments<T extends Record> {
  /**
   * Names of the documents in messages, and their number.
   *
   * @param noun capitalized name of the kind, such as {@code Policy}
   * @param plural such as {@code policies}
   * @param most maximum number of documents of a tenant
   */
  public record Kind<T extends Record>(
      ConfigType<T> type, Function<T, String> name, String noun, String plural, int most) {}

  private final Kind<T> kind;
  private final Transactions transactions;
  private final ConfigStore documents;
  private final ConfigWriter changes;

  public TenantDocuments(
      Kind<T> kind, Transactions transactions, ConfigStore documents, AuditLog audit) {
    this.kind = kind;
    this.transactions = transactions;
    this.documents = documents;
    this.changes = new ConfigWriter(documents, audit);
  }

  /** Returns all documents of the actor's tenant and of its projects, by key. */
  public List<ConfigDocument<T>> all(Actor actor) {
    return documents.all(kind.type(), actor.tenant());
  }

  /**
   * Returns the documents of the tenant and of the project, by name, with the documents of the
   * project first.
   */
  public List<ConfigDocument<T>> visible(Actor actor, @Nullable ProjectId project) {
    return all(actor).stream()
        .filter(each -> each.project() == null || each.project().equals(project))
        .sorted(
            Comparator.comparing((ConfigDocument<T> each) -> kind.name().apply(each.value()))
                .thenComparing(each -> each.project() == null))
        .toList();
  }

  public Optional<ConfigDocument<T>> find(Actor actor, String key) {
    return documents.find(kind.type(), actor.tenant(), key);
  }

  /**
   * Runs a change of the document with this name in one transaction.
   *
   * @param trial whether the change is undone
   * @throws Refusal VERSION_MISMATCH when another request changes the document at the same time
   */
  public <R> R change(String name, boolean trial, Supplier<R> work) {
    try {
      return transactions.callOrTry(trial, work);
    } catch (Conflict raced) {
      throw changed(name);
    }
  }

  /**
   * Stores a document, within a {@link #change}.
   *
   * @param wanted document to insert A stored document of its key gets its value
   * @param expected version that the caller has read, null for any version and a new document
   * @throws Refusal VERSION_MISMATCH, LIMIT_EXCEEDED
   */
  public ConfigDocument<T> put(
      Actor actor,
      String operation,
      ConfigDocument<T> wanted,
      @Nullable Long expected,
      SortedMap<String, Object> detail) {
    return put(actor, operation, find(actor, wanted.name()).orElse(null), wanted, expected, detail);
  }

  /**
   * Like {@link #put(Actor, String, ConfigDocument, Long, SortedMap)}, for a value that depends on
   * the stored document, or on its absence.
   *
   * @param old document that the caller has read in this transaction, null if there was none
   * @throws Conflict VERSION when another document is stored by now
   */
  public ConfigDocument<T> put(
      Actor actor,
      String operation,
      @Nullable ConfigDocument<T> old,
      ConfigDocument<T> wanted,
      @Nullable Long expected,
      SortedMap<String, Object> detail) {
    if (expected != null && (old == null || old.version() != expected)) {
      throw changed(kind.name().apply(wanted.value()));
    }
    if (old == null) {
      refuseMore(actor);
    }
    ConfigDocument<T> next = old == null ? wanted : old.with(wanted.value());
    return changes.put(actor, operation, old, next, detail);
  }

  private void refuseMore(Actor actor) {
    if (all(actor).size() >= kind.most()) {
      throw new Refusal(
          ProblemCode.LIMIT_EXCEEDED,
          "The tenant has %d %s, the maximum. Delete one first."
              .formatted(kind.most(), kind.plural()));
    }
  }

  /**
   * Deletes a document, within a {@link #change}.
   *
   * @param expected version that the caller has read, null for any
   * @return the deleted document
   * @throws Refusal VERSION_MISMATCH
   */
  public ConfigDocument<T> remove(
      Actor actor,
      String operation,
      ConfigDocument<T> old,
      @Nullable Long expected,
      SortedMap<String, Object> detail) {
    if (expected != null && old.version() != expected) {
      throw changed(kind.name().apply(old.value()));
    }
    changes.remove(actor, operation, old, detail);
    return old;
  }

  /** Returns the refusal for a document that another request changed. */
  public Refusal changed(String name) {
    return Refusal.changed("%s \"%s\"".formatted(kind.noun(), name));
  }
}
