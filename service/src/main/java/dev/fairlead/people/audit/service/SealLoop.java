package dev.fairlead.people.audit.service;

import dev.fairlead.kernel.lease.HeldLease;
import dev.fairlead.kernel.loop.LeasedLoop;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.Recurring;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.chain.AuditChain;
import dev.fairlead.people.audit.chain.ChainEnd;
import dev.fairlead.people.audit.chain.ChainEnd.Known;
import dev.fairlead.people.audit.chain.ChainKey;
import dev.fairlead.people.audit.chain.ChainLink;
import dev.fairlead.people.audit.chain.ChainPosition;
import dev.fairlead.people.audit.chain.ChainRow;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Links the audit rows of finished transactions to the chain every second: one link for a bounded
 * number of rows. Between passes, {@link ChainWatch} verifies the chain part by part. Without a key
 * file it does nothing. It continues only from an end signed with its key that it sealed or read
 * last. Otherwise it reports that until an operator raises the incarnation.
 */
@Component
public class SealLoop extends LeasedLoop {
  static final int MOST = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(SealLoop.class);
  private static final Duration IDLE = Duration.ofSeconds(1);

  /** Interval of the log line with the length of the chain. */
  private static final Duration SAY_EVERY = Duration.ofHours(1);

  private final AuditChain chain;
  private final ChainKeys keys;
  private final ChainWatch watch;
  private final Transactions transactions;
  private final Recurring say;
  private final Recurring look;

  /** Retained while another replica has the lease, because this one may get it back. */
  private @Nullable Known known;

  public SealLoop(
      Leases leases,
      AuditChain chain,
      ChainKeys keys,
      ChainWatch watch,
      Transactions transactions) {
    super("seal", "background", IDLE, leases);
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
    Turn sealed = transactions.callFenced(lease, () -> seal(key));
    keep(sealed);
    if (look.due()) {
      watch.look(key);
      look.done();
    }
    return sealed.rows() == MOST;
  }

  @Override
  protected void forget() {
    watch.forget();
  }

  private Turn seal(ChainKey key) {
    ChainLink last = chain.last().orElse(null);
    ChainPosition horizon = chain.horizon();
    ChainLink there = known == null ? null : chain.link(known.sequence()).orElse(null);
    ChainEnd end = ChainEnd.of(key, horizon, last, chain.newestHead().orElse(null), known, there);
    if (end != ChainEnd.SOUND) {
      return new Turn(end, 0, null);
    }
    ChainPosition after = last == null ? ChainPosition.START : last.position();
    List<ChainRow> batch = chain.unsealed(after, MOST);
    if (!batch.isEmpty()) {
      last = key.link(last, batch);
      chain.append(last, key.head(last));
    }
    Known now =
        last == null ? null : new Known(last.sequence(), last.signature(), horizon.incarnation());
    return new Turn(end, batch.size(), now);
  }

  /** Must be called after the transaction, so that only committed links are known. */
  private void keep(Turn turn) {
    watch.refused(turn.end());
    if (turn.end() != ChainEnd.SOUND) {
      return;
    }
    known = turn.known();
    if (say.due() && known != null) {
      say.done();
      LOG.info("audit sealed: sequence={} signature={}", known.sequence(), known.signature().hex());
    }
  }

  /**
   * Result of a pass.
   *
   * @param rows number of sealed rows
   * @param known the last link afterwards, null if none
   */
  private record Turn(ChainEnd end, int rows, @Nullable Known known) {}
}
