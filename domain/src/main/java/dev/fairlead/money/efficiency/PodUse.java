package dev.fairlead.money.efficiency;

import org.jspecify.annotations.Nullable;

/**
 * What a pod made of its GPUs in the last two minutes.
 *
 * @param utilisation mean of its GPUs, in percent, from 0 to 100
 * @param memoryMib most memory used on any one of them; null where the exporter does not tell it
 * @param watts of all of them; null where the exporter does not tell it
 */
public record PodUse(
    String namespace,
    String pod,
    double utilisation,
    @Nullable Long memoryMib,
    @Nullable Double watts) {}
