package dev.fairlead.care.health.service;

import dev.fairlead.care.health.NodeAllocations;
import dev.fairlead.care.health.Reporter;
import dev.fairlead.care.health.service.spi.DeviceHolders;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.tenant.Actor;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.stereotype.Service;

/** Accepts reports of node agents about the devices of pods. */
@Service
public class AllocationIntake {
  private final Transactions transactions;
  private final InventoryStore inventory;
  private final DeviceHolders holders;
  private final InstantSource clock;

  public AllocationIntake(
      Transactions transactions,
      InventoryStore inventory,
      DeviceHolders holders,
      InstantSource clock) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.holders = holders;
    this.clock = clock;
  }

  /**
   * Stores the devices of members, each machine in its own transaction.
   *
   * @param text id or name of the cluster
   * @return names of the machines whose report was ignored: the cluster has no such machine, or the
   *     time of the report is in the future
   * @throws Refusal FORBIDDEN, NOT_FOUND
   */
  public List<String> take(Actor actor, String text, List<NodeAllocations> reports) {
    Cluster cluster =
        transactions.forAllTenants(() -> {
          Cluster found = FleetNames.cluster(inventory, text);
          Reporter.require(actor, found);
          return found;
        });
    Instant latest = clock.instant().plus(HealthIntake.AHEAD);
    List<String> aside = new ArrayList<>();
    for (NodeAllocations report : reports) {
      boolean taken =
          !report.at().isAfter(latest)
              && transactions.forAllTenants(() -> {
                Optional<Node> node =
                    inventory.named(cluster.id(), Set.of(report.node())).stream().findFirst();
                node.ifPresent(n -> holders.reported(n.id(), report.pods(), actor.name()));
                return node.isPresent();
              });
      if (!taken) {
        aside.add(report.node());
      }
    }
    return aside;
  }
}
