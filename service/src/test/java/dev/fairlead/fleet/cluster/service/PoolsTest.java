package dev.fairlead.fleet.cluster.service;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.Cron;
import dev.fairlead.fleet.node.window.LeftoverPolicy;
import dev.fairlead.fleet.node.window.Opening;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.fleet.node.window.RecurringWindow;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Role;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolsTest {
  private final Stores stores = MemoryStores.empty(1);
  private final TestWorld world = TestWorld.in(stores);
  private final TenantId other = TestWorld.in(stores).tenant().id();

  /** Fails when a tenant reads how many nodes the pools of others have. */
  @Test
  void tenantReadsNothingAboutNodesOfAnotherTenant() {
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
        .singleElement()
        .satisfies(reason("pools.pool-shared-nodes-selector", "shared"));
  }

  /**
   * Two teams by day and night, with and without a shared hour. Fails when adjacent openings count
   * as shared, when owners are not compared, or when a pool that is always open is skipped.
   */
  @ParameterizedTest
  @CsvSource({
    "0 22 * * *, PT8H, false",
    "0 22 * * *, PT9H, true",
    "0 5 * * *, PT1H, false",
    "0 5 * * *, PT61M, true"
  })
  void overlappingWindowsOfTwoOwnersCauseAWarning(String cron, Duration duration, boolean both) {
    stores.pools().insert(windows(pool("shared", null), "0 6 * * *", Duration.ofHours(16)));
    stores.pools().insert(windows(pool("night", world.tenant().id()), cron, duration));
    stores.pools().insert(windows(pool("second", null), "0 6 * * *", Duration.ofHours(16)));

    assertThat(warnings().stream().filter(text -> text.contains("both are open at")).toList())
        .hasSize(both ? 1 : 0)
        .allSatisfy(text ->
            assertThat(text)
                .satisfies(reason("pools.pools-shared-night-select", "2030-01-01T06:00:00Z")));
  }

  @Test
  void alwaysOpenPoolSharesTheNextOpening() {
    stores.pools().insert(pool("shared", null));
    stores
        .pools()
        .insert(windows(pool("night", world.tenant().id()), "0 22 * * *", Duration.ofHours(8)));
    Instant opens =
        stores.pools().pools().stream()
            .flatMap(pool -> pool.windows().next(stores.pools().now(), 1).stream())
            .map(Opening::start)
            .findFirst()
            .orElseThrow();

    assertThat(warnings()).anyMatch(text -> text.contains("both are open at " + opens + ": then"));
  }

  private static Pool windows(Pool pool, String cron, Duration duration) {
    RecurringWindow window =
        RecurringWindow.of(Cron.parse(cron), duration, RecurringWindow.zone("UTC"));
    PoolWindows windows =
        new PoolWindows(List.of(window), Duration.ZERO, LeftoverPolicy.EVICT, Duration.ZERO);
    return pool.with(pool.tenant(), pool.selector(), "", pool.spares(), windows);
  }

  private PoolView shared(Role role, TenantId tenant) {
    Actor actor = new Actor(tenant, "ana", role);
    PoolView one = pools().named(actor, "shared");
    assertThat(pools().all(actor)).contains(one);
    return one;
  }

  private List<String> warnings() {
    return pools().named(new Actor(world.tenant().id(), "ana", Role.OPERATOR), "shared").warnings();
  }

  private Pools pools() {
    return new Pools(
        stores.transactions(),
        stores.pools(),
        stores.inventory(),
        stores.tenants(),
        stores.reservations());
  }

  private Pool pool(String name, @Nullable TenantId owner) {
    return new Pool(
        new PoolId(stores.ids().next()),
        name,
        owner,
        new PoolSelector(List.of(world.cluster().name()), List.of(), new TreeMap<>(), List.of()),
        "",
        Spares.NONE,
        PoolWindows.NONE,
        1);
  }
}
