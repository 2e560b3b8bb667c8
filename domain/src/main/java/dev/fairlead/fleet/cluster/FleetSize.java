package dev.fairlead.fleet.cluster;

/**
 * How many nodes a cluster has, retired ones left out.
 *
 * @param nodes with and without GPUs
 * @param gpuNodes nodes that have GPUs
 * @param gpus on these nodes, in any state
 */
public record FleetSize(int nodes, int gpuNodes, int gpus) {
  public static final FleetSize EMPTY = new FleetSize(0, 0, 0);
}
