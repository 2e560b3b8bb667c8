package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.node.PoolSelector;
import dev.fairlead.fleet.node.PoolWindows;
import dev.fairlead.fleet.node.Spares;
import org.jspecify.annotations.Nullable;

/**
 * Request to create or change a pool.
 *
 * @param tenant name of the owner, null for a shared pool
 */
public record PoolDraft(
    String name,
    @Nullable String tenant,
    PoolSelector selector,
    String description,
    Spares spares,
    PoolWindows windows) {}
