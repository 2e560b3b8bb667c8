package dev.fairlead.audit.service;

import dev.fairlead.audit.AuditChain;
import dev.fairlead.audit.ChainKey;
import dev.fairlead.audit.ChainLink;
import dev.fairlead.audit.ChainPosition;
import dev.fairlead.audit.ChainRow;
import dev.fairlead.lease.HeldLease;
import dev.fairlead.loop.LeasedLoop;
import dev.fairlead.loop.Leases;
import dev.fairlead.loop.Recurring;
import dev.fairlead.transaction.Transactions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Every second: ties the audit rows of transactions that have ended to the chain, a bounded number
 * in a turn. In between {@link ChainWatch} looks at one part of the chain after the other. Without
 * a key file it does nothing.
 */
@Component
public class SealLoop extends LeasedLoop {
  static final int MOST = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(SealLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(1);

  /** How often the log says how far the chain reaches. */
  private static final Duration SAY_EVERY = Duration.ofHours(1);

  private final AuditChain chain;
  private final ChainKeys keys;
  private final ChainWatch watch;
  private final Transactions transactions;
  private final Recurring say;
  private final Recurring look;

  public SealLoop(
      Leases leases,
      AuditChain chain,
      ChainKeys keys,
      ChainWatch watch,
      Transactions transactions) {
    super("seal", "relay", IDLE, leases);
    this.chain = chain;
    this.keys = keys;
    this.watch = watch;
    this.transactions = transactions;
    this.say = Recurring.fromNowOn(leases.clock(), SAY_EVERY);
    this.look = Recurring.fromNowOn(leases.clock(), ChainWatch.EVERY);
  }

  @Override
  protected boolean turn(HeldLease lease) {
    ChainKey key = keys.key().orElse(null);
    if (key == null) {
      watch.forget();
      return false;
    }
    boolean more = transactions.callFenced(lease, () -> seal(key)) == MOST;
    if (look.due()) {
      watch.look(key);
      look.done();
    }
    return more;
  }

  @Override
  protected void forget() {
    watch.forget();
  }

  /** How many rows it sealed. */
  private int seal(ChainKey key) {
    ChainLink last = chain.last().orElse(null);
    ChainPosition after = last == null ? ChainPosition.START : last.position();
    List<ChainRow> rows = chain.unsealed(after, MOST);
    List<ChainLink> links = new ArrayList<>();
    for (ChainRow row : rows) {
      last = key.link(last, row);
      links.add(last);
    }
    if (!links.isEmpty()) {
      chain.append(links, key.head(links.getLast()));
    }
    if (say.due() && last != null) {
      say.done();
      LOG.info("audit sealed: sequence={} signature={}", last.sequence(), last.signature().hex());
    }
    return links.size();
  }
}
