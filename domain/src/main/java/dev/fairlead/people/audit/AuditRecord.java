package dev.fairlead.people.audit;

import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Cause;
import dev.fairlead.people.tenant.TenantId;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One mutating operation, several similar operations of one request, or denials of one caller in
 * one second.
 *
 * @param subject id or name of the object
 * @param count number of operations, from 1
 * @param config the change of the configuration, if it has a history
 */
@RecordBuilder
public record AuditRecord(
    Actor actor,
    String operation,
    String subject,
    boolean allowed,
    SortedMap<String, Object> detail,
    int count,
    @Nullable ConfigChange config)
    implements AuditRecordBuilder.With {
  public AuditRecord {
    detail = allowed ? with(actor.cause(), detail) : detail;
  }

  /** Creates a record without a configuration history. */
  public AuditRecord(
      Actor actor,
      String operation,
      String subject,
      boolean allowed,
      SortedMap<String, Object> detail,
      int count) {
    this(actor, operation, subject, allowed, detail, count, null);
  }

  /** Creates a record of a single operation. */
  public AuditRecord(
      Actor actor,
      String operation,
      String subject,
      boolean allowed,
      SortedMap<String, Object> detail) {
    this(actor, operation, subject, allowed, detail, 1);
  }

  /** Key in {@link #detail}: hash of the object before the change, absent if it was created. */
  public static final String BEFORE = "beforeHash";

  /** Key in {@link #detail}: hash of the object after the change, absent if it was removed. */
  public static final String AFTER = "afterHash";

  /** Key in {@link #detail}: the hashed object, if it is not the subject of the row. */
  public static final String HASHED = "hashed";

  /** Key in {@link #detail}: the reason as given by the caller, absent without a reason. */
  public static final String REASON = "reason";

  /** Key in {@link #detail}: ids of the jobs of a record about several jobs. */
  public static final String JOBS = "jobs";

  /** Key in {@link #detail}: version of the configuration that the change reverts. */
  public static final String REVERTS = "reverts";

  /**
   * A reason that the operation itself requires takes precedence over the reason of the request.
   */
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
   * Creates a record of one operation on one object without more details.
   *
   * @param before null for an object that was created
   * @param after null for an object that was removed
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
   * Creates a record of one operation on several jobs. The subject is the first job, and the detail
   * lists all of them.
   */
  public static AuditRecord ofJobs(Actor actor, String operation, List<String> jobs) {
    SortedMap<String, Object> detail = new TreeMap<>();
    detail.put(JOBS, jobs);
    return new AuditRecord(actor, operation, jobs.getFirst(), true, detail, jobs.size());
  }

  /**
   * Returns the record with the hashes of an object that belongs to the subject.
   *
   * @param of kind and id, separated by a slash. Equal in all rows about the same object
   */
  public AuditRecord changed(String of, @Nullable Object before, @Nullable Object after) {
    SortedMap<String, Object> all = new TreeMap<>(detail);
    all.put(HASHED, of);
    return withDetail(all).changed(before, after);
  }

  /** Returns the record with the hashes of the stored object before and after the change. */
  public AuditRecord changed(@Nullable Object before, @Nullable Object after) {
    SortedMap<String, Object> all = new TreeMap<>(detail);
    if (before != null) {
      all.put(BEFORE, StateHash.of(before));
    }
    if (after != null) {
      all.put(AFTER, StateHash.of(after));
    }
    return withDetail(all);
  }

  /** Returns the record for the audit of another tenant, without a configuration history. */
  AuditRecord in(TenantId tenant) {
    return new AuditRecord(actor.in(tenant), operation, subject, allowed, detail, count);
  }

  /**
   * Returns the record with the object before and after the change for the configuration history.
   */
  public AuditRecord kept(
      ConfigKind kind, String name, @Nullable Object before, @Nullable Object after) {
    ConfigChange change =
        new ConfigChange(
            kind,
            name,
            before == null ? null : StateHash.json(before),
            after == null ? null : StateHash.json(after));
    return withConfig(change);
  }
}
