package dev.fairlead.care.supply;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.node.Spares;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolId;
import dev.fairlead.fleet.node.pool.PoolSelector;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.Refused;
import dev.fairlead.work.world.Stores;
import dev.fairlead.work.world.TestWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

public abstract class SupplyStoreContract {
  private Stores stores;
  private TestWorld world;
  private Supply supply;
  private Instant now;

  protected abstract Stores stores();

  @BeforeEach
  void aPoolWithAProvisioner() {
    stores = stores();
    world = TestWorld.in(stores);
    now = stores.supplies().now();
    Pool pool =
        new Pool(
            new PoolId(stores.ids().next()),
            world.uniqueName("burst"),
            null,
            new PoolSelector(
                List.of(world.cluster().name()), List.of("H100"), new TreeMap<>(), List.of()),
            "",
            Spares.NONE,
            PoolWindows.NONE,
            1);
    stores.pools().insert(pool);
    supply = Supplies.of(pool.id(), world.cluster().id());
    stores.supplies().put(supply);
  }

  private SupplyRequest request(int nodes, Instant at) {
    return SupplyRequest.of(new SupplyRequestId(stores.ids().next()), supply, nodes, at);
  }

  private SupplyOffer offer() {
    return stores.world().read().offers().stream()
        .filter(each -> each.pool().equals(supply.pool()))
        .findFirst()
        .orElseThrow();
  }

  private static SupplyAnswer answer(SupplyAnswer.Word word, String... nodes) {
    return new SupplyAnswer.Answered(word, List.of(nodes), "as it was", Duration.ofMinutes(3));
  }

  /** A refused request whose possible nodes are withdrawn. */
  private SupplyRequest refused(SupplyRequest request) {
    SupplyRequest refused =
        request.answered(SupplyCall.Action.REQUEST, answer(SupplyAnswer.Word.REFUSED), now);
    stores.supplies().update(refused);
    assertThat(stores.supplies().open()).contains(refused);
    SupplyRequest released =
        refused.answered(SupplyCall.Action.RELEASE, answer(SupplyAnswer.Word.RELEASED), now);
    stores.supplies().update(released);
    return released;
  }

  @Test
  void supplyRoundTrips() {
    Supply.Webhook other = new Supply.Webhook("https://other.example", "Y2E=");
    Supply next =
        new Supply(
            supply.pool(),
            supply.cluster(),
            supply.kind(),
            2,
            Duration.ofHours(1),
            Duration.ofHours(2),
            other,
            2,
            null);

    stores.supplies().put(next);

    assertThat(stores.supplies().supply(supply.pool())).contains(next);
    assertThat(stores.supplies().supplies()).contains(next).doesNotContain(supply);
  }

  @Test
  void autoscalerSupplyRoundTrips() {
    TreeMap<String, String> parameters = new TreeMap<>();
    parameters.put("ValidUntilSeconds", "600");
    Supply next =
        new Supply(
            supply.pool(),
            supply.cluster(),
            supply.kind(),
            2,
            Duration.ofHours(1),
            Duration.ofHours(2),
            null,
            2,
            new Supply.ProvisioningClass("atomic.example.com", parameters));

    stores.supplies().put(next);

    assertThat(stores.supplies().supply(supply.pool())).contains(next);
  }

  /** Fails when a writer that read an older version replaces or restores a newer version. */
  @Test
  void staleVersionIsRejected() {
    Refused.by(Guard.VERSION, () -> stores.supplies().put(supply));
    SupplyRequest request = request(1, now);
    stores.supplies().insert(request);
    SupplyRequest next =
        request.answered(SupplyCall.Action.REQUEST, answer(SupplyAnswer.Word.GRANTED, "n1"), now);
    stores.supplies().update(next);
    Refused.by(Guard.VERSION, () -> stores.supplies().update(next));

    stores.supplies().delete(supply);

    Refused.by(Guard.VERSION, () -> stores.supplies().delete(supply));
    assertThat(stores.supplies().requests(supply.pool(), 10)).isEmpty();
  }

  /** Fails when nodes of a provisioner remain without a pool. */
  @Test
  void aPoolWithASupplyIsNotRemoved() {
    Pool pool = stores.pools().pool(supply.pool()).orElseThrow();
    Refused.by(Guard.REFERENCED, () -> stores.pools().delete(pool));

    stores.supplies().delete(supply);
    stores.pools().delete(pool);

    assertThat(stores.pools().pool(supply.pool())).isEmpty();
  }

  @Test
  void requestRoundTripsAndIsOpenWhileANodeRemains() {
    SupplyRequest first = request(2, now);
    stores.supplies().insert(first);
    SupplyRequest second = request(1, now);
    stores.supplies().insert(second);
    SupplyRequest granted =
        first.answered(SupplyCall.Action.REQUEST, answer(SupplyAnswer.Word.GRANTED, "a", "b"), now);
    stores.supplies().update(granted);
    SupplyRequest refused = refused(second);

    assertThat(stores.supplies().open()).contains(granted).doesNotContain(refused, second);
    assertThat(stores.supplies().requests(supply.pool(), 1)).containsExactly(refused);
    int _ = stores.supplies().forget(now.minusSeconds(1), 1_000);
    assertThat(stores.supplies().requests(supply.pool(), 1)).containsExactly(refused);
    assertThat(stores.supplies().forget(now.plusSeconds(1), 1_000)).isPositive();
    assertThat(stores.supplies().requests(supply.pool(), 10)).containsExactly(granted);
  }

  @Test
  void worldContainsThePossibleSupplyOfAPool() {
    assertThat(offer().room()).isEqualTo(Supplies.MOST_NODES);
    SupplyRequest coming = request(3, now);
    stores.supplies().insert(coming);

    assertThat(offer().room()).isEqualTo(1);
    assertThat(offer().coming()).isEqualTo(3);
    assertThat(offer().since()).isEqualTo(now);
    assertThat(offer().stockOut()).isNull();
  }

  /** Fails when a refusal is forgotten before the provisioner may be called again. */
  @Test
  void refusalIsStoredAsAStockOut() {
    SupplyRequest request = request(1, now);
    stores.supplies().insert(request);
    SupplyRequest _ = refused(request);

    assertThat(offer().stockOut())
        .isEqualTo(new StockOut(now.plus(Duration.ofMinutes(3)), 1, null));
    assertThat(offer().room()).isEqualTo(Supplies.MOST_NODES);
  }
}
