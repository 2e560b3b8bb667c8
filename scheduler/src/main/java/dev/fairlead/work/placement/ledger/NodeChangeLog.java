package dev.fairlead.work.placement.ledger;

import java.util.Arrays;

/**
 * Nodes of one cluster in the order of their changes, by rank. A cache with a value per node reads
 * only the changes since its last read.
 */
public final class NodeChangeLog {
  private int[] ranks = new int[256];
  private int size;
  private boolean read;

  /** Starts recording. Without a reader the log would only grow. */
  void open() {
    read = true;
  }

  void add(int rank) {
    if (!read) {
      return;
    }
    if (size == ranks.length) {
      ranks = Arrays.copyOf(ranks, 2 * size);
    }
    ranks[size++] = rank;
  }

  /** Returns the number of changes so far, which is the position for the next read. */
  public int size() {
    return size;
  }

  /** Returns the rank of the node that changed at a position below {@link #size}. */
  public int rank(int position) {
    return ranks[position];
  }
}
