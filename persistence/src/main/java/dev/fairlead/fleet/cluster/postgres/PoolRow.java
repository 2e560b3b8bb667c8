package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolBuilder;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.people.tenant.TenantId;
import java.util.UUID;

/** Read model of a row of {@code pool}. */
record PoolRow(UUID id, String name, PoolEntity.Changeable changeable, long version) {
  Pool pool() {
    UUID tenant = changeable.tenant();
    return PoolBuilder.builder()
        .id(new PoolId(id))
        .name(name)
        .tenant(tenant == null ? null : new TenantId(tenant))
        .selector(Json.read(changeable.selector(), PoolSelector.class))
        .description(changeable.description())
        .spares(PoolEntity.spares(changeable.spares()))
        .windows(WindowsText.read(changeable.windows()))
        .version(version)
        .build();
  }
}
