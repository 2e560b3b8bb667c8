package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.work.workload.service.SupervisorFleet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Leases of deleted clusters. */
class LeftOverLeasesTest {
  private final InMemoryFairlead fairlead = InMemoryFairlead.empty(1);

  /**
   * Fails when a lease remains permanently because the process of the supervisor that reacquired it
   * ended before removing it.
   */
  @Test
  void startingProcessDeletesLeasesOfRemovedClusters() {
    Cluster there = fairlead.stores().inventory().clusters().getFirst();
    fairlead.fleet().move(fairlead.operator(), there.name(), ClusterEvent.DISABLE, false);
    String kept = "cluster/" + there.id().bare();
    String leftOver = "cluster/" + new ClusterId(new UUID(7, 7)).bare();
    for (String name : new String[] {kept, leftOver, "another"}) {
      assertThat(fairlead.stores().leases().create(name, "of an earlier life")).isPresent();
    }
    SupervisorFleet fleet = fairlead.supervisorFleet();
    assertThat(fleet.tick()).isFalse();
    fleet.close();
    assertThat(fairlead.stores().leases().names()).contains(kept, "another");
    assertThat(fairlead.stores().leases().names()).doesNotContain(leftOver);
  }
}
