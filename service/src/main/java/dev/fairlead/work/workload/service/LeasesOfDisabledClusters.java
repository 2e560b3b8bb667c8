package dev.fairlead.work.workload.service;

import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.loop.NeedlessLeases;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/**
 * Leases of disabled clusters, which have no supervisor. The lease stores the epoch for the time
 * after that.
 */
@Component
public class LeasesOfDisabledClusters implements NeedlessLeases {
  private final InventoryStore inventory;

  public LeasesOfDisabledClusters(InventoryStore inventory) {
    this.inventory = inventory;
  }

  @Override
  public Set<String> names() {
    return inventory.clusters().stream()
        .filter(cluster -> cluster.state() == ClusterState.DISABLED)
        .map(cluster -> ClusterSupervisor.lease(cluster.id()))
        .collect(Collectors.toSet());
  }
}
