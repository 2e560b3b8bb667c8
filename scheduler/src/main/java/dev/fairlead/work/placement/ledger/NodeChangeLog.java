package dev.fairlead.work.placement.ledger;

import java.util.Arrays;

/**
 * Nodes of one cluster in the order in which they changed, by rank: a cache with a figure per node
 * reads on from where it stopped.
 */
public final class NodeChangeLog {
  private int[] ranks = new int[256];
  private int size;
  private boolean read;

  /** From now on changes are kept: without a reader the log would only grow. */
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

  /** Changes so far; a position to read on from. */
  public int size() {
    return size;
  }

  /** Rank of the node that changed at a position below {@link #size}. */
  public int rank(int position) {
    return ranks[position];
  }
}
