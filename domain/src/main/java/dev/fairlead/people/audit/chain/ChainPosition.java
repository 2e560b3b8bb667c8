package dev.fairlead.people.audit.chain;

import java.util.Comparator;

/**
 * Position of an audit row in the chain. Transactions commit in a different order than they begin.
 * No row can appear before the oldest open transaction, so a chain in this order is complete.
 *
 * @param incarnation incarnation of the installation, incremented with each restored backup
 * @param transaction number of the transaction that wrote the row
 * @param row number of the row
 */
public record ChainPosition(int incarnation, long transaction, long row)
    implements Comparable<ChainPosition> {
  /** The position before every row. */
  public static final ChainPosition START = new ChainPosition(0, 0, 0);

  private static final Comparator<ChainPosition> ORDER =
      Comparator.comparingInt(ChainPosition::incarnation)
          .thenComparingLong(ChainPosition::transaction)
          .thenComparingLong(ChainPosition::row);

  @Override
  public int compareTo(ChainPosition other) {
    return ORDER.compare(this, other);
  }
}
