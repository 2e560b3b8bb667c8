package dev.fairlead.cluster.service;

import dev.fairlead.cluster.PoolSelector;
import dev.fairlead.cluster.Spares;
import org.jspecify.annotations.Nullable;

/**
 * A pool as its operator wants it.
 *
 * @param tenant name of the owner, null for a shared pool
 */
public record PoolDraft(
    String name,
    @Nullable String tenant,
    PoolSelector selector,
    String description,
    Spares spares) {}
