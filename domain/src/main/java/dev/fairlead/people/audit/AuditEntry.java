package dev.fairlead.people.audit;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A stored {@link AuditRecord}.
 *
 * @param at start of the transaction of the change, by the database's clock
 * @param seq number of the row. Later rows seldom have a smaller value
 * @param requestId null for a change without a request
 * @param address address of the request's sender, null if there is no request
 */
@RecordBuilder
public record AuditEntry(
    Instant at,
    long seq,
    String actor,
    String operation,
    String subject,
    boolean allowed,
    int count,
    @Nullable String requestId,
    @Nullable String address,
    SortedMap<String, Object> detail) {
  /** Returns the position of the entry among the entries of its tenant. */
  public AuditPosition position() {
    return new AuditPosition(at, seq);
  }
}
