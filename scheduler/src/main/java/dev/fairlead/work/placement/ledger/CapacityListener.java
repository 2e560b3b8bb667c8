package dev.fairlead.work.placement.ledger;

/**
 * Hears of each change of what nodes have left: the indexes and sums over the nodes of a cluster.
 */
@FunctionalInterface
interface CapacityListener {
  /**
   * Something was taken of the node or given back, or it is withheld or no longer.
   *
   * @param rank of the node in its cluster
   */
  void changed(int rank);
}
