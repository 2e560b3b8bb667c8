package dev.fairlead.work.placement.node;

/**
 * Listens for changes of the free amounts of nodes. Implemented by the indexes and sums over the
 * nodes of a cluster.
 */
@FunctionalInterface
public interface CapacityListener {
  /**
   * Called after an amount of the node was taken or returned, or after the node was withheld or
   * opened.
   *
   * @param rank rank of the node in its cluster
   */
  void changed(int rank);
}
