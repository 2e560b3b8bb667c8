package dev.fairlead.people.audit;

import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Cause;
import dev.fairlead.people.tenant.TenantId;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One mutating operation, or several alike that one request did, or denials of one caller in one
 * second.
 *
 * @param subject id or name of what it was about
 * @param count how many, from 1
 * @param config what it made of the configuration, where a history of that is kept
 */
public record AuditRecord(
    Actor actor,
    String operation,
    String subject,
    boolean allowed,
    SortedMap<String, Object> detail,
    int count,
    @Nullable ConfigChange config) {
  public AuditRecord {
    detail = allowed ? with(actor.cause(), detail) : detail;
  }

  /** Of what has no history. */
  public AuditRecord(
      Actor actor,
      String operation,
      String subject,
      boolean allowed,
      SortedMap<String, Object> detail,
      int count) {
    this(actor, operation, subject, allowed, detail, count, null);
  }

  /** A single one. */
  public AuditRecord(
      Actor actor,
      String operation,
      String subject,
      boolean allowed,
      SortedMap<String, Object> detail) {
    this(actor, operation, subject, allowed, detail, 1);
  }

  /** In {@link #detail}: the hash of the object in front of the change; absent when it was made. */
  public static final String BEFORE = "beforeHash";

  /** In {@link #detail}: the hash of the object behind the change; absent when it was removed. */
  public static final String AFTER = "afterHash";

  /** In {@link #detail}: what the hashes are of, where that is not the subject of the row. */
  public static final String HASHED = "hashed";

  /** In {@link #detail}: why, in the words of the caller; absent when it gave none. */
  public static final String REASON = "reason";

  /** In {@link #detail}: version of the configuration that the change goes back from. */
  public static final String REVERTS = "reverts";

  /** A reason that the operation itself asks for counts before that of the request. */
  private static SortedMap<String, Object> with(Cause cause, SortedMap<String, Object> detail) {
    String reason = cause.reason();
    Long reverts = cause.reverts();
    if (reason == null && reverts == null) {
      return detail;
    }
    SortedMap<String, Object> all = new TreeMap<>(detail);
    if (reason != null) {
      all.putIfAbsent(REASON, reason);
    }
    if (reverts != null) {
      all.put(REVERTS, reverts);
    }
    return all;
  }

  /**
   * One operation on one object, with nothing else to say.
   *
   * @param before null for an object that was made
   * @param after null for one that was removed
   * @param subject id of the object
   */
  public static <T> AuditRecord change(
      Actor actor,
      String operation,
      @Nullable T before,
      @Nullable T after,
      Function<T, String> subject) {
    T of = Objects.requireNonNull(after == null ? before : after, "nothing was changed");
    return new AuditRecord(actor, operation, subject.apply(of), true, new TreeMap<>())
        .changed(before, after);
  }

  /**
   * The same with the hashes of something that belongs to the subject.
   *
   * @param of kind and id, with a slash between them: the rows that say the same are of the same
   */
  public AuditRecord changed(String of, @Nullable Object before, @Nullable Object after) {
    SortedMap<String, Object> all = new TreeMap<>(detail);
    all.put(HASHED, of);
    return new AuditRecord(actor, operation, subject, allowed, all, count, config)
        .changed(before, after);
  }

  /** The same with the hashes of the object, as it is stored, in front of the change and behind. */
  public AuditRecord changed(@Nullable Object before, @Nullable Object after) {
    SortedMap<String, Object> all = new TreeMap<>(detail);
    if (before != null) {
      all.put(BEFORE, StateHash.of(before));
    }
    if (after != null) {
      all.put(AFTER, StateHash.of(after));
    }
    return new AuditRecord(actor, operation, subject, allowed, all, count, config);
  }

  /** The same for the audit of another tenant, which has no history of the configuration of it. */
  AuditRecord in(TenantId tenant) {
    return new AuditRecord(actor.in(tenant), operation, subject, allowed, detail, count);
  }

  /** The same, and the object goes into the history of the configuration as it was and is. */
  public AuditRecord kept(
      ConfigKind kind, String name, @Nullable Object before, @Nullable Object after) {
    ConfigChange change =
        new ConfigChange(
            kind,
            name,
            before == null ? null : StateHash.json(before),
            after == null ? null : StateHash.json(after));
    return new AuditRecord(actor, operation, subject, allowed, detail, count, change);
  }
}
