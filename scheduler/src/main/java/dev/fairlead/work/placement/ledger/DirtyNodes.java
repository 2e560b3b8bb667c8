package dev.fairlead.work.placement.ledger;

import dev.fairlead.work.placement.node.CapacityListener;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Tracks which nodes differ from an earlier state. It is updated with every change. */
final class DirtyNodes implements CapacityListener {
  private final CapacityColumns now;
  private final CapacityColumns then;
  private final int[] rankThen;
  private final int[] ranks;
  private final int[] positions;
  private final int[] gone;
  private int size;

  /**
   * @param rankThen by current rank, negative for a node that did not exist or has another row
   */
  private DirtyNodes(CapacityColumns now, CapacityColumns then, int[] rankThen) {
    this.now = now;
    this.then = then;
    this.rankThen = rankThen;
    ranks = new int[rankThen.length];
    positions = new int[rankThen.length];
    Arrays.fill(positions, -1);
    boolean[] stays = new boolean[then.size()];
    for (int rank = 0; rank < rankThen.length; rank++) {
      changed(rank);
      if (rankThen[rank] >= 0) {
        stays[rankThen[rank]] = true;
      }
    }
    gone = IntStream.range(0, stays.length).filter(rank -> !stays[rank]).toArray();
  }

  /** Starts to track the nodes that differ from the earlier state. */
  static DirtyNodes since(CapacityColumns then, CapacityColumns now, int[] rankThen) {
    DirtyNodes dirty = new DirtyNodes(now, then, rankThen);
    now.listen(dirty);
    return dirty;
  }

  /** Returns the earlier ranks of nodes that no longer exist or have another row. */
  int[] gone() {
    return gone.clone();
  }

  /** Updates whether the node differs. */
  @Override
  public void changed(int rank) {
    boolean differs = rankThen[rank] < 0 || !now.same(rank, then, rankThen[rank]);
    int position = positions[rank];
    if (differs && position < 0) {
      positions[rank] = size;
      ranks[size++] = rank;
    } else if (!differs && position >= 0) {
      int last = ranks[--size];
      ranks[position] = last;
      positions[last] = position;
      positions[rank] = -1;
    }
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Returns the ranks of the nodes that differ, unordered. */
  int[] ranks() {
    return Arrays.copyOf(ranks, size);
  }

  /** Returns the earlier rank of the node, negative for none. */
  int then(int rank) {
    return rankThen[rank];
  }
}
