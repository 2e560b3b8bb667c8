package dev.fairlead.job.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterId;
import dev.fairlead.cluster.FleetSource;
import dev.fairlead.cluster.InventoryStore;
import org.springframework.stereotype.Component;

/**
 * Names of clusters for answers about jobs, without a read per job: a cluster never changes its
 * name.
 */
@Component
public class ClusterNames {
  private final FleetSource fleet;
  private final InventoryStore inventory;

  public ClusterNames(FleetSource fleet, InventoryStore inventory) {
    this.fleet = fleet;
    this.inventory = inventory;
  }

  /** The cluster's name; its id when it is no longer there. */
  public String of(ClusterId id) {
    return fleet.now().clusters().stream()
        .filter(cluster -> cluster.id().equals(id))
        .findFirst()
        .or(() -> inventory.cluster(id))
        .map(Cluster::name)
        .orElseGet(id::text);
  }
}
