package dev.fairlead.kernel.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.e2e.InMemoryFairlead;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.work.workload.service.SupervisorFleet;
import dev.fairlead.work.world.memory.MemoryStores;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The lease keepers of a process. */
class LeasesTest {
  private final MemoryStores stores = MemoryStores.empty(1);
  private final Leases leases =
      new Leases(
          stores.leases(),
          new LeaseTimes(Duration.ofSeconds(15), Duration.ofSeconds(4), Duration.ofSeconds(10)),
          System::nanoTime,
          "one");

  /** Fails when a process that does not compete for a lease shows it as without holder. */
  @Test
  void leaseOfAnEndedLocalLoopIsHiddenAndRetainsItsEpoch() {
    LeaseKeeper keeper = leases.keeper("cluster/x");
    long epoch = keeper.tick().orElseThrow().epoch();
    keeper.release();

    leases.drop("cluster/x");

    assertThat(leases.keepers()).isEqualTo(Map.of());
    assertThat(leases.names()).containsExactly("cluster/x");
    assertThat(leases.keeper("cluster/x").tick().orElseThrow().epoch()).isEqualTo(epoch + 1);
  }

  /** Fails when the supervisors of disabled clusters leave their keepers behind. */
  @Test
  void clusterTakenOutOfServiceLeavesNoKeeper() {
    InMemoryFairlead fairlead = InMemoryFairlead.empty(1);
    Cluster cluster = fairlead.stores().inventory().clusters().getFirst();
    String lease = "cluster/" + cluster.id().bare();
    SupervisorFleet fleet = fairlead.supervisorFleet();
    assertThat(fleet.tick()).isFalse();
    assertThat(fairlead.leases().keepers()).containsKey(lease);

    fairlead.fleet().move(fairlead.operator(), cluster.name(), ClusterEvent.DISABLE, false);
    assertThat(fleet.tick()).isFalse();

    assertThat(fairlead.leases().keepers()).doesNotContainKey(lease);
    fleet.close();
  }
}
