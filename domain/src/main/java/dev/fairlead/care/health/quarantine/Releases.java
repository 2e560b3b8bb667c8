package dev.fairlead.care.health.quarantine;

import dev.fairlead.care.health.IncidentId;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** Ends quarantines, in the caller's transaction. */
public final class Releases {
  private Releases() {}

  /**
   * Ends these quarantines of one cluster and their incidents. A node without another quarantine,
   * or a device, returns to service with its cluster's next report.
   *
   * @param why cause or operator, human-readable
   */
  public static void end(
      HealthStore health,
      InventoryStore inventory,
      List<Quarantine> ending,
      Function<Quarantine, String> why,
      Instant now) {
    if (ending.isEmpty()) {
      return;
    }
    Set<NodeId> nodes = new TreeSet<>();
    health.write(ending.stream().map(each -> each.released(now, why.apply(each))).toList());
    for (Quarantine quarantine : ending) {
      nodes.add(quarantine.node());
      IncidentId incident = quarantine.incident();
      if (incident != null) {
        health
            .incident(incident)
            .filter(i -> i.endedAt() == null)
            .ifPresent(i -> health.write(i.ended(now)));
      }
    }
    health.standing(ending.getFirst().cluster()).stream()
        .filter(Quarantine::ofNode)
        .forEach(q -> nodes.remove(q.node()));
    inventory.order(nodes, NodeOrder.RELEASE);
  }
}
