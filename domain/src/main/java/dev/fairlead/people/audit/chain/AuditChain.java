package dev.fairlead.people.audit.chain;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The links that chain the audit rows of all tenants. Links are only added. */
public interface AuditChain {
  /** Returns the link with the highest sequence. */
  Optional<ChainLink> last();

  Optional<ChainLink> link(long sequence);

  /** Returns the head with the highest sequence. */
  Optional<ChainHead> newestHead();

  /**
   * Returns the current incarnation and its oldest open transaction. Rows before this position can
   * be sealed.
   */
  ChainPosition horizon();

  /**
   * Returns the rows after the position and before the horizon, in order. No more rows can appear
   * among them. Reads every day of the audit, by an index.
   */
  List<ChainRow> unsealed(ChainPosition after, int limit);

  /**
   * Appends a link and its head in the open transaction, which cannot do anything else for this
   * audit afterwards. Retains the newest heads that show the recent length of the chain.
   *
   * @throws IllegalStateException if a row of the link is sealed already
   */
  void append(ChainLink link, ChainHead head);

  /**
   * Returns the part of the chain after that sequence.
   *
   * @param limit limit of rows. The first link is returned even if it seals more
   */
  ChainPage page(long after, int limit);

  /** Returns the rows after the position, even if older transactions are still open. */
  Waiting waiting(ChainPosition after);

  /**
   * Rows without a link.
   *
   * @param rows number of rows, at most {@link #MOST}
   * @param oldest start of the first of these, null without rows
   */
  record Waiting(int rows, @Nullable Instant oldest) {
    public static final int MOST = 10_000;
  }
}
