package dev.fairlead.fleet.cluster.connection;

/**
 * Equal simulated nodes. Racks are consecutive, and each is inside one block.
 *
 * @param model GPU model name, ignored if {@code gpusPerNode} is 0
 * @param blocks number of blocks, at least 1
 * @param racksPerBlock racks in each block, at least 1
 */
public record FleetPool(int nodes, int gpusPerNode, String model, int blocks, int racksPerBlock) {}
