package dev.fairlead.cluster.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.node.Pool;
import dev.fairlead.node.PoolId;
import dev.fairlead.node.PoolSelector;
import dev.fairlead.node.Spares;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Role;
import dev.fairlead.tenant.TenantId;
import dev.fairlead.world.Stores;
import dev.fairlead.world.TestWorld;
import dev.fairlead.world.memory.MemoryStores;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PoolsTest {
  private final Stores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final TenantId other = TestWorld.in(stores).tenant().id();

  /** Fails when a tenant reads how many nodes the pools of others have. */
  @Test
  void aTenantReadsNothingOfTheNodesThatAnotherTenantHas() {
    stores.pools().insert(pool("theirs", other));
    stores.pools().insert(pool("shared", null));
    int _ = stores.inventory().assign(stores.pools().pools());
    int nodes = stores.inventory().nodes(world.cluster().id()).size();

    PoolView ours = shared(Role.TENANT_MEMBER, world.tenant().id());
    PoolView theirs = shared(Role.TENANT_MEMBER, other);
    PoolView platform = shared(Role.OPERATOR, world.tenant().id());

    assertThat(nodes).isPositive();
    assertThat(platform.elsewhere()).isEqualTo(nodes);
    assertThat(theirs.elsewhere()).isEqualTo(nodes);
    assertThat(ours.elsewhere()).isZero();
    assertThat(ours.warnings())
        .containsExactly(
            "pool shared has no nodes: its selector matches none that it may have; compare it with"
                + " the labels of the nodes");
  }

  private PoolView shared(Role role, TenantId tenant) {
    Pools pools =
        new Pools(
            stores.transactions(),
            stores.pools(),
            stores.inventory(),
            stores.tenants(),
            stores.reservations());
    Actor actor = new Actor(tenant, "ana", role);
    PoolView one = pools.named(actor, "shared");
    assertThat(pools.all(actor)).contains(one);
    return one;
  }

  private Pool pool(String name, @Nullable TenantId owner) {
    return new Pool(
        new PoolId(stores.ids().next()),
        name,
        owner,
        new PoolSelector(List.of(world.cluster().name()), List.of(), new TreeMap<>(), List.of()),
        "",
        Spares.NONE,
        1);
  }
}
