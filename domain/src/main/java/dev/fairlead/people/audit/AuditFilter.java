package dev.fairlead.people.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Selects entries, null for all.
 *
 * @param operation id of an operation of the API
 * @param allowed false for denials
 * @param since inclusive
 * @param until exclusive
 */
public record AuditFilter(
    @Nullable String actor,
    @Nullable String operation,
    @Nullable String subject,
    @Nullable Boolean allowed,
    @Nullable Instant since,
    @Nullable Instant until) {
  /** Selects everything. */
  public static final AuditFilter ALL = new AuditFilter(null, null, null, null, null, null);

  /** Returns the filter with this start. */
  public AuditFilter from(Instant time) {
    return new AuditFilter(actor, operation, subject, allowed, time, until);
  }
}
