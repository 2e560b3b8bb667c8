package dev.fairlead.people.audit.web;

import dev.fairlead.people.audit.AuditEntry;
import dev.fairlead.people.audit.AuditRecord;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One row of the audit log.
 *
 * @param action id of the API operation
 * @param object id or name of the object of the operation
 * @param outcome outcome: ALLOWED or DENIED
 * @param count number of equal events in the row: a batch, or denials of the caller in one second
 * @param requestId id of the request, null if none
 * @param address address of the sender, null if there is no request
 * @param before SHA-256 of the stored object before the change, null for a creation, a batch, a
 *     denial, and rows of versions without hashes
 * @param after SHA-256 of the stored object after the change, or of the list of jobs of a submitted
 *     batch, null for a deletion, and otherwise as in before
 */
@RecordBuilder
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
    return AuditResponseBuilder.builder()
        .at(entry.at())
        .actor(entry.actor())
        .action(entry.operation())
        .object(entry.subject())
        .outcome(entry.allowed() ? ALLOWED : DENIED)
        .count(entry.count())
        .requestId(entry.requestId())
        .address(entry.address())
        .before(before)
        .after(after)
        .detail(detail)
        .build();
  }
}
