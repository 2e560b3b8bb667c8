package dev.fairlead.fleet.cluster;

/**
 * The number of nodes of a cluster, without retired nodes.
 *
 * @param nodes with and without GPUs
 * @param gpuNodes nodes that have GPUs
 * @param gpus on these nodes, in any state
 */
public record FleetSize(int nodes, int gpuNodes, int gpus) {
  public static final FleetSize EMPTY = new FleetSize(0, 0, 0);
}
