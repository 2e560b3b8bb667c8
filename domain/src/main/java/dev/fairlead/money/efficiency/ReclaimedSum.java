package dev.fairlead.money.efficiency;

/**
 * GPU-hours recovered from idle jobs of a tenant, while their rows are retained.
 *
 * @param attempts number of stopped attempts
 * @param idleGpuHours GPU-hours held while they were idle
 * @param returnedGpuHours GPU-hours that they would have held until their {@code maxRuntime}, if
 *     they have one
 */
public record ReclaimedSum(long attempts, double idleGpuHours, double returnedGpuHours) {}
