package dev.fairlead.money.price;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.config.ConfigDocument;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class PriceStoreContract {
  private Stores stores;
  private TestWorld world;

  protected abstract Stores stores();

  @BeforeEach
  void aWorldOfItsOwn() {
    stores = stores();
    world = TestWorld.in(stores);
  }

  private void append(Price price) {
    ConfigDocument<Price> _ = stores.configs().put(price.document());
  }

  private Price appended(PriceScope scope, Duration lasts, @Nullable PriceId replaces) {
    return stores
        .transactions()
        .call(() -> {
          Instant now = stores.prices().lock();
          Price price =
              new Price(
                  new PriceId(stores.ids().next()),
                  scope,
                  new Money(2_490_000, "EUR"),
                  new Validity(now, now.plus(lasts)),
                  replaces,
                  null,
                  now);
          append(price);
          return price;
        });
  }

  private Price ofPool(@Nullable TenantId owner) {
    Pool pool =
        new Pool(
            new PoolId(stores.ids().next()),
            world.uniqueName("priced"),
            owner,
            new PoolSelector(List.of("none"), List.of(), new TreeMap<>(), List.of()),
            "",
            Spares.NONE,
            PoolWindows.NONE,
            1);
    stores.pools().insert(pool);
    return appended(new PriceScope(null, pool.name(), null, null), Duration.ofDays(1), null);
  }

  @Test
  void priceRoundTrips() {
    PriceScope scope = new PriceScope(world.cluster().id(), null, "H100", CapacityType.ON_DEMAND);
    Price first = appended(scope, Duration.ofDays(1), null);
    Price second = appended(scope, Duration.ofDays(2), first.id());

    assertThat(stores.prices().book().prices()).contains(first, second);
    assertThat(stores.prices().book(world.tenant().id()).prices()).contains(first, second);
  }

  @Test
  void commitmentRoundTrips() {
    Instant now = world.now();
    Price price =
        new Price(
            new PriceId(stores.ids().next()),
            new PriceScope(world.cluster().id(), null, "H200", CapacityType.RESERVED),
            new Money(2_000_000, "EUR"),
            new Validity(now, now.plus(Duration.ofDays(365))),
            null,
            new Commitment(64, 1_121_280_000_000L),
            now);
    append(price);

    assertThat(stores.prices().book().prices()).contains(price);
  }

  /** Fails when a price of storage is read as one of any GPU, or without its class. */
  @Test
  void storagePriceRoundTrips() {
    Price any =
        appended(
            PriceScope.of(world.cluster().id(), new PriceScope.Storage(null)),
            Duration.ofDays(1),
            null);
    Price fast =
        appended(
            PriceScope.of(world.cluster().id(), new PriceScope.Storage("fast")),
            Duration.ofDays(1),
            null);

    assertThat(stores.prices().book().prices()).contains(any, fast);
    assertThat(stores.prices().book(world.tenant().id()).prices()).contains(any, fast);
  }

  /** Fails when a cached book is never read again. */
  @Test
  void priceBookIsUnchangedUntilAPriceIsAdded() {
    PriceScope scope = new PriceScope(world.cluster().id(), null, "H100", CapacityType.SPOT);
    PriceBook before = stores.prices().book();
    Price added = appended(scope, Duration.ofDays(1), null);
    PriceBook then = stores.prices().book();

    assertThat(before.price(added.id())).isEmpty();
    assertThat(then.price(added.id())).contains(added);
    assertThat(then).isNotEqualTo(before);
    assertThat(stores.prices().book()).isSameAs(then);
    assertThat(stores.world().read().prices()).isSameAs(then);
  }

  /** Fails when a tenant reads the prices of all pools. */
  @Test
  void tenantSeesNoPriceOfAForeignPool() {
    TenantId other = TestWorld.in(stores).tenant().id();
    Price own = ofPool(world.tenant().id());
    Price shared = ofPool(null);
    Price anywhere =
        appended(new PriceScope(world.cluster().id(), null, null, null), Duration.ofDays(1), null);

    assertThat(stores.prices().book(world.tenant().id()).prices()).contains(own, shared, anywhere);
    assertThat(stores.prices().book(other).prices()).contains(shared, anywhere).doesNotContain(own);
  }
}
