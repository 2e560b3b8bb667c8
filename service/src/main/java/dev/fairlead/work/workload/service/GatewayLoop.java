package dev.fairlead.work.workload.service;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.kernel.loop.Loop;
import dev.fairlead.work.event.WakeUps;
import java.time.Duration;
import java.util.Set;
import org.springframework.stereotype.Component;

/**
 * Applies changes of clusters (new credentials, disabled and deleted clusters) to the gateways that
 * requests have opened, in processes that do not supervise these clusters.
 */
@Component
public class GatewayLoop implements Loop {
  private static final Duration IDLE = Duration.ofSeconds(2);
  private final InventoryStore inventory;
  private final ClusterConnections gateways;

  public GatewayLoop(InventoryStore inventory, ClusterConnections gateways) {
    this.inventory = inventory;
    this.gateways = gateways;
  }

  @Override
  public String name() {
    return "gateways";
  }

  @Override
  public String role() {
    return "api";
  }

  @Override
  public Duration idle() {
    return IDLE;
  }

  @Override
  public Set<WakeUps.Topic> wakesOn() {
    return Set.of(WakeUps.Topic.INVENTORY);
  }

  @Override
  public boolean tick() {
    if (gateways.any()) {
      gateways.follow(inventory.clusters());
    }
    return false;
  }
}
