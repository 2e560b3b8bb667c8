package dev.fairlead.audit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The links that tie the rows of the audit of all tenants. Insert-only. */
public interface AuditChain {
  /** The one with the highest sequence. */
  Optional<ChainLink> last();

  /**
   * Rows behind the position in front of which no other can appear any more, in their order.
   *
   * @param since rows that began earlier are not looked for; null for all, at the cost of a look at
   *     every day of the audit
   */
  List<ChainRow> unsealed(ChainPosition after, @Nullable Instant since, int limit);

  /** In the open transaction, which can do nothing else for this audit afterwards. */
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
