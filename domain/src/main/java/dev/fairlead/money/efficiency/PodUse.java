package dev.fairlead.money.efficiency;

import org.jspecify.annotations.Nullable;

/**
 * GPU usage of a pod in the last two minutes.
 *
 * @param utilisation mean of its GPUs, in percent, from 0 to 100
 * @param memoryMib peak memory of any one of them, null if the exporter does not report it
 * @param watts of all of them, null if the exporter does not report it
 */
public record PodUse(
    String namespace,
    String pod,
    double utilisation,
    @Nullable Long memoryMib,
    @Nullable Double watts) {}
