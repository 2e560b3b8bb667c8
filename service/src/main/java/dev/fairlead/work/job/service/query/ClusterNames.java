package dev.fairlead.work.job.service.query;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** Names of clusters for responses about jobs, cached because a cluster never changes its name. */
@Component
public class ClusterNames {
  private final FleetSource fleet;
  private final InventoryStore inventory;
  private final Map<ClusterId, String> removed = new ConcurrentHashMap<>();

  public ClusterNames(FleetSource fleet, InventoryStore inventory) {
    this.fleet = fleet;
    this.inventory = inventory;
  }

  /** The cluster's name, also after its removal. */
  public String of(ClusterId id) {
    return fleet.now().clusters().stream()
        .filter(cluster -> cluster.id().equals(id))
        .map(Cluster::name)
        .findFirst()
        .orElseGet(() -> removed.computeIfAbsent(id, this::stored));
  }

  private String stored(ClusterId id) {
    return inventory.nameOf(id).orElseGet(id::text);
  }
}
