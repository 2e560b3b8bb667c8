package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolBuilder;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.people.tenant.TenantId;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Read model of a row of {@code pool}. */
record PoolRow(
    UUID id,
    String name,
    @Nullable UUID tenant,
    String selector,
    String description,
    @Nullable String spares,
    @Nullable String windows,
    long version) {
  Pool pool() {
    return PoolBuilder.builder()
        .id(new PoolId(id))
        .name(name)
        .tenant(tenant == null ? null : new TenantId(tenant))
        .selector(Json.read(selector, PoolSelector.class))
        .description(description)
        .spares(PoolEntity.spares(spares))
        .windows(WindowsText.read(windows))
        .version(version)
        .build();
  }
}
