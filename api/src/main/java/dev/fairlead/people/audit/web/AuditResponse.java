package dev.fairlead.people.audit.web;

import dev.fairlead.people.audit.AuditEntry;
import dev.fairlead.people.audit.AuditRecord;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
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
 * @param before SHA-256 of the object as it was stored before; null for one that was made, for a
 *     batch, a denial, and rows of versions before the hashes
 * @param after SHA-256 of the object as it was stored behind it; null for one that was removed, and
 *     as before
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
    @Nullable String before,
    @Nullable String after,
    Map<String, Object> detail) {
  static final String ALLOWED = "ALLOWED";
  static final String DENIED = "DENIED";

  static AuditResponse of(AuditEntry entry) {
    SortedMap<String, Object> detail = new TreeMap<>(entry.detail());
    String before = (String) detail.remove(AuditRecord.BEFORE);
    String after = (String) detail.remove(AuditRecord.AFTER);
    return new AuditResponse(
        entry.at(),
        entry.actor(),
        entry.operation(),
        entry.subject(),
        entry.allowed() ? ALLOWED : DENIED,
        entry.count(),
        entry.requestId(),
        entry.address(),
        before,
        after,
        detail);
  }
}
