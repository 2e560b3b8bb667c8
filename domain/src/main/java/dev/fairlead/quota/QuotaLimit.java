package dev.fairlead.quota;

import dev.fairlead.resources.Flavor;
import org.jspecify.annotations.Nullable;

/**
 * Quota of a node for one flavor and resource, in base units (milli for cpu and gpu, MiB for
 * memory).
 *
 * @param nominal what the subtree owns; null = unlimited
 * @param borrowingLimit what it may take beyond that from its parent; null = whatever is there
 * @param lendingLimit what it gives to others when idle; null = all of it
 */
public record QuotaLimit(
    Flavor flavor,
    String resource,
    @Nullable Long nominal,
    @Nullable Long borrowingLimit,
    @Nullable Long lendingLimit) {}
