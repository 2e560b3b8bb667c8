package dev.fairlead.people.audit.web;

import dev.fairlead.people.audit.AuditChain.Waiting;
import dev.fairlead.people.audit.ChainBreak;
import dev.fairlead.people.audit.ChainLink;
import dev.fairlead.people.audit.service.AuditVerification.Verified;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a part of the audit is like, compared with what was sealed.
 *
 * @param checked how many links were looked at
 * @param sequence of the last of them, 0 when nothing is sealed
 * @param signature of that link; keep it elsewhere with its sequence, and a later verification
 *     shows that the chain still has it; null when nothing is sealed
 * @param broken the first break; null when there is none so far
 * @param more whether there is more to verify
 * @param waiting how many rows are not sealed yet, 10,000 at the most; null while there is more
 * @param oldestWaiting when the first of these began; null when there is none
 */
record AuditVerificationResponse(
    int checked,
    long sequence,
    @Nullable String signature,
    @Nullable Broken broken,
    boolean more,
    @Nullable Integer waiting,
    @Nullable Instant oldestWaiting) {
  /**
   * The first place at which the audit is not what was sealed.
   *
   * @param sequence of the link there, or of the one that should be; of a row that was added, of
   *     the link in front of it
   * @param row number of the row; null where none is known
   * @param at when the change of the row began; null where no row is known
   * @param message what is wrong, for people
   */
  record Broken(
      ChainBreak.Kind kind,
      long sequence,
      @Nullable Long row,
      @Nullable Instant at,
      String message) {}

  static AuditVerificationResponse of(Verified verified) {
    ChainLink last = verified.last();
    Waiting waiting = verified.waiting();
    ChainBreak broken = verified.broken();
    return new AuditVerificationResponse(
        verified.checked(),
        last == null ? 0 : last.sequence(),
        last == null ? null : last.signature().hex(),
        broken == null ? null : of(broken),
        waiting == null,
        waiting == null ? null : waiting.rows(),
        waiting == null ? null : waiting.oldest());
  }

  private static Broken of(ChainBreak broken) {
    return new Broken(
        broken.kind(), broken.sequence(), broken.row(), broken.at(), broken.kind().meaning());
  }
}
