package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.people.audit.ConfigKind;
import dev.fairlead.people.audit.ConfigRevert;
import dev.fairlead.people.audit.RevertRequest;
import dev.fairlead.people.tenant.TenantStore;
import org.springframework.stereotype.Component;

/** Reverts changes of pools. */
@Component
public class PoolRevert implements ConfigRevert {
  private final Pools pools;
  private final PoolCommands commands;
  private final TenantStore tenants;

  public PoolRevert(Pools pools, PoolCommands commands, TenantStore tenants) {
    this.pools = pools;
    this.commands = commands;
    this.tenants = tenants;
  }

  @Override
  public ConfigKind kind() {
    return ConfigKind.POOL;
  }

  @Override
  public void revert(RevertRequest request) {
    Pool to = request.before(Pool.class);
    Pool from = request.after(Pool.class);
    String id = to.id().text();
    PoolView now = pools.named(request.actor(), id);
    String owner =
        to.tenant() == null
            ? null
            : tenants.tenant(to.tenant()).orElseThrow(RevertRequest::gone).name();
    PoolSpec spec =
        new PoolSpec(to.name(), owner, to.selector(), to.description(), to.spares(), to.windows());
    long expected = request.expected(now.pool().version(), from.version());
    PoolView _ = commands.update(request.actor(), id, spec, expected, false);
  }
}
