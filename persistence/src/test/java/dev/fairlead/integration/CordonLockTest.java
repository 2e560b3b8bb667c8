package dev.fairlead.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.work.world.TestWorld;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An operator cordons a node while a campaign checks whether it was cordoned. */
class CordonLockTest {
  private final PostgresInstallation stores = Embedded.installation();
  private final TestWorld world = TestWorld.in(stores);
  private final NodeId node = world.node("node-1").id();

  private Optional<Cordon> cordonedMeanwhile() {
    return stores
        .transactions()
        .forAllTenants(() -> {
          int _ = stores.jdbc().sql("SET LOCAL lock_timeout = '20ms'").update();
          return stores.inventory().order(node, NodeOrder.CORDON).map(after -> Cordon.ORDERED);
        });
  }

  /** Fails when the order can interleave: the cordon would be lifted as the campaign's own. */
  @Test
  void cordonDoesNotChangeBehindThePass() {
    int _ =
        stores
            .transactions()
            .forAllTenants(() -> {
              assertThat(stores.inventory().lockedCordon(node)).contains(Cordon.NONE);
              assertThatThrownBy(
                      () -> CompletableFuture.supplyAsync(this::cordonedMeanwhile).join())
                  .hasMessageContaining("lock timeout");
              return 0;
            });

    assertThat(cordonedMeanwhile()).isPresent();
    assertThat(stores.transactions().forAllTenants(() -> stores.inventory().lockedCordon(node)))
        .contains(Cordon.ORDERED);
  }
}
