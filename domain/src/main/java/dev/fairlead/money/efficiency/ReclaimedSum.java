package dev.fairlead.money.efficiency;

/**
 * What was got back from idle jobs of a tenant, as long as their rows are kept.
 *
 * @param attempts how many were stopped
 * @param idleGpuHours what they held while they were idle
 * @param returnedGpuHours what they would have held until their {@code maxRuntime}, of those that
 *     have one
 */
public record ReclaimedSum(long attempts, double idleGpuHours, double returnedGpuHours) {}
