package dev.fairlead.people.audit.service;

import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.people.audit.chain.AuditChain;
import dev.fairlead.people.audit.chain.AuditChain.Waiting;
import dev.fairlead.people.audit.chain.ChainBreak;
import dev.fairlead.people.audit.chain.ChainCheck;
import dev.fairlead.people.audit.chain.ChainHead;
import dev.fairlead.people.audit.chain.ChainKey;
import dev.fairlead.people.audit.chain.ChainLink;
import dev.fairlead.people.audit.chain.ChainPage;
import dev.fairlead.people.audit.chain.ChainPosition;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Compares the audit of all tenants with its sealed state, a page of the chain at a time. */
@Component
public class AuditVerification {
  private final AuditChain chain;
  private final ChainKeys keys;

  public AuditVerification(AuditChain chain, ChainKeys keys) {
    this.chain = chain;
    this.keys = keys;
  }

  /**
   * Result of a page of the chain.
   *
   * @param last the last link of the page or the previous one, null if none
   * @param checked number of compared rows. After a break, a part of the rows before it
   * @param broken the first break of the page, null if none
   * @param waiting unsealed rows, null when more of the chain follows
   */
  public record Verified(
      @Nullable ChainLink last,
      int checked,
      @Nullable ChainBreak broken,
      @Nullable Waiting waiting) {}

  /**
   * Verifies a number of rows after a sequence, 0 for the start. A link is verified as a whole.
   *
   * @throws Refusal FORBIDDEN, ILLEGAL_STATE without a key file, INVALID_PARAMETER for a sequence
   *     beyond the end of the chain
   */
  public Verified verify(Actor actor, long after, int limit) {
    Permissions.require(actor, "verifyAudit");
    ChainKey key =
        keys.key()
            .orElseThrow(() ->
                new Refusal(
                    ProblemCode.ILLEGAL_STATE,
                    "The audit is not sealed, because no key is configured: set"
                        + " FAIRLEAD_KEY_FILE to a file that all replicas share (it is created"
                        + " if it is missing)."));
    ChainPage page = chain.page(after, limit);
    ChainLink last = page.last();
    if ((last == null || last.sequence() < after) && after > reach(page)) {
      throw new Refusal(
          ProblemCode.INVALID_PARAMETER,
          "The audit is sealed up to " + reach(page) + ", which is before " + after + ".");
    }
    ChainBreak broken = ChainCheck.first(key, after, page).orElse(null);
    boolean more = broken == null && !page.end();
    ChainPosition sealed = last == null ? ChainPosition.START : last.position();
    return new Verified(last, page.sealed(after), broken, more ? null : chain.waiting(sealed));
  }

  private static long reach(ChainPage page) {
    ChainHead head = page.head();
    return head == null ? 0 : head.sequence();
  }
}
