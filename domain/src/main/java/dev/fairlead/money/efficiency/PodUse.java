package dev.fairlead.money.efficiency;

import org.jspecify.annotations.Nullable;

/**
 * GPU usage of a pod in the last two minutes.
 *
 * @param utilisation mean of its GPUs, in percent, from 0 to 100
 * @param memoryMib highest memory use of a GPU, null if the exporter does not report it
 * @param watts power of all GPUs, null if the exporter does not report it
 */
public record PodUse(
    String namespace,
    String pod,
    double utilisation,
    @Nullable Long memoryMib,
    @Nullable Double watts) {}
