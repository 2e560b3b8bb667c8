package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.people.tenant.TenantId;
import java.util.UUID;

/** Read model of a row of {@code pool}. */
record PoolRow(UUID id, String name, PoolEntity.Changeable changeable, long version) {
  Pool pool() {
    UUID tenant = changeable.tenant();
    return new Pool(
        new PoolId(id),
        name,
        tenant == null ? null : new TenantId(tenant),
        Json.read(changeable.selector(), PoolSelector.class),
        changeable.description(),
        PoolEntity.spares(changeable.spares()),
        WindowsText.read(changeable.windows()),
        version);
  }
}
