package dev.fairlead.audit.web;

import dev.fairlead.audit.AuditEntry;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One row of the audit.
 *
 * @param action id of an operation of the API
 * @param object id or name of what it was about
 * @param outcome ALLOWED or DENIED
 * @param count how many alike the row stands for: a batch, or denials of the caller in one second
 * @param requestId of the request, null where none did it
 * @param address where the request came from, null where none did it
 */
record AuditResponse(
    Instant at,
    String actor,
    String action,
    String object,
    String outcome,
    int count,
    @Nullable String requestId,
    @Nullable String address,
    Map<String, Object> detail) {
  static final String ALLOWED = "ALLOWED";
  static final String DENIED = "DENIED";

  static AuditResponse of(AuditEntry entry) {
    return new AuditResponse(
        entry.at(),
        entry.actor(),
        entry.operation(),
        entry.subject(),
        entry.allowed() ? ALLOWED : DENIED,
        entry.count(),
        entry.requestId(),
        entry.address(),
        entry.detail());
  }
}
