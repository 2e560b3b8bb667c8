package dev.fairlead.people.audit.web;

import dev.fairlead.people.audit.chain.AuditChain.Waiting;
import dev.fairlead.people.audit.chain.ChainBreak;
import dev.fairlead.people.audit.chain.ChainLink;
import dev.fairlead.people.audit.service.AuditVerification.Verified;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Result of comparing part of the audit log with its sealed chain.
 *
 * @param checked number of compared rows
 * @param sequence sequence of the last compared link, 0 if nothing is sealed
 * @param signature signature of that link, null if nothing is sealed. Store it elsewhere with its
 *     sequence: a later verification then shows that the chain still contains it
 * @param broken first break, null if none was found so far
 * @param more whether more links remain to verify
 * @param waiting number of rows that are not sealed yet, at most 10,000, null while more links
 *     remain
 * @param oldestWaiting start of the first of these changes, null if none
 */
record AuditVerificationResponse(
    int checked,
    long sequence,
    @Nullable String signature,
    @Nullable ChainBreak broken,
    boolean more,
    @Nullable Integer waiting,
    @Nullable Instant oldestWaiting) {
  static AuditVerificationResponse of(Verified verified) {
    ChainLink last = verified.last();
    Waiting waiting = verified.waiting();
    return new AuditVerificationResponse(
        verified.checked(),
        last == null ? 0 : last.sequence(),
        last == null ? null : last.signature().hex(),
        verified.broken(),
        waiting == null,
        waiting == null ? null : waiting.rows(),
        waiting == null ? null : waiting.oldest());
  }
}
