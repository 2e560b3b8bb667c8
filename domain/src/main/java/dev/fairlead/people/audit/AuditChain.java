package dev.fairlead.people.audit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The links that tie the rows of the audit of all tenants. Links are only added. */
public interface AuditChain {
  /** The one with the highest sequence. */
  Optional<ChainLink> last();

  /** The one with that sequence. */
  Optional<ChainLink> link(long sequence);

  /** The one with the highest sequence. */
  Optional<ChainHead> newestHead();

  /**
   * The incarnation of now and its oldest transaction that is open: what is sealed stands in front.
   */
  ChainPosition horizon();

  /**
   * Rows behind the position in front of which no other can appear any more, in their order: those
   * in front of the horizon. Looks at every day of the audit, by an index.
   */
  List<ChainRow> unsealed(ChainPosition after, int limit);

  /**
   * In the open transaction, which can do nothing else for this audit afterwards. The newest heads
   * are kept, as many as show how far the chain reached lately.
   */
  void append(List<ChainLink> links, ChainHead head);

  /** The part behind the link with that sequence. */
  ChainPage page(long after, int limit);

  /** What stands behind the position, whether its transactions have ended before others or not. */
  Waiting waiting(ChainPosition after);

  /**
   * Rows without a link.
   *
   * @param rows how many; of more than {@link #MOST} that number
   * @param oldest when the first of these began, null without rows
   */
  record Waiting(int rows, @Nullable Instant oldest) {
    public static final int MOST = 10_000;
  }
}
