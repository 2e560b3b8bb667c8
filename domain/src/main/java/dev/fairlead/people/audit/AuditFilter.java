package dev.fairlead.people.audit;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which entries; null for all.
 *
 * @param operation id of an operation of the API
 * @param allowed false for denials
 * @param since from this time on
 * @param until before this time
 */
public record AuditFilter(
    @Nullable String actor,
    @Nullable String operation,
    @Nullable String subject,
    @Nullable Boolean allowed,
    @Nullable Instant since,
    @Nullable Instant until) {
  /** Everything. */
  public static final AuditFilter ALL = new AuditFilter(null, null, null, null, null, null);

  /** The same, from the time on. */
  public AuditFilter from(Instant time) {
    return new AuditFilter(actor, operation, subject, allowed, time, until);
  }
}
