package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.PoolWindows;
import org.jspecify.annotations.Nullable;

/**
 * Request to create or change a pool.
 *
 * @param tenant name of the owner, null for a shared pool
 */
public record PoolSpec(
    String name,
    @Nullable String tenant,
    PoolSelector selector,
    String description,
    Spares spares,
    PoolWindows windows) {}
