package dev.fairlead.people.audit;

import java.util.Comparator;

/**
 * Where a row of the audit stands in the chain. Transactions end in another order than they begin;
 * below the oldest one that is open no row can appear any more, so that a chain in this order
 * misses none.
 *
 * @param incarnation of the installation, which rises with each restored backup
 * @param transaction number of the transaction that wrote the row
 * @param row number of the row
 */
public record ChainPosition(int incarnation, long transaction, long row)
    implements Comparable<ChainPosition> {
  /** In front of every row. */
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
