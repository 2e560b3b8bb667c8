package dev.fairlead.health.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.cluster.Node;
import dev.fairlead.cluster.NodeId;
import dev.fairlead.cluster.NodeOrder;
import dev.fairlead.cluster.NodeState;
import dev.fairlead.health.Breaker;
import dev.fairlead.health.HealthStore;
import dev.fairlead.health.Incident;
import dev.fairlead.health.Quarantine;
import dev.fairlead.health.QuarantineId;
import dev.fairlead.identity.IdSource;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Writes quarantines and the state of their nodes, in the caller's transaction. */
@Component
public class Isolation {
  private final HealthStore health;
  private final InventoryStore inventory;
  private final IdSource ids;
  private final Breaker breaker;

  public Isolation(HealthStore health, InventoryStore inventory, IdSource ids) {
    this.health = health;
    this.inventory = inventory;
    this.ids = ids;
    this.breaker = Breaker.DEFAULT;
  }

  /** Takes the node of a fault out of use unless too many are; the incident says which. */
  Incident isolate(Cluster cluster, Node node, Incident incident, Instant now) {
    List<Quarantine> standing = health.standing(cluster.id());
    Set<NodeId> isolated = new TreeSet<>();
    standing.stream().filter(q -> q.incident() != null).forEach(q -> isolated.add(q.node()));
    int gpuNodes = gpuNodes(cluster);
    if (!isolated.contains(node.id()) && breaker.stops(isolated.size(), gpuNodes)) {
      Incident shown = incident.isolation(breaker.text(isolated.size(), gpuNodes));
      health.write(shown);
      return shown;
    }
    Incident shown = incident.isolation("node " + node.name() + " takes nothing new");
    health.write(shown);
    order(
        node,
        new Quarantine(
            new QuarantineId(ids.next()),
            cluster.id(),
            node.id(),
            incident.id(),
            incident.text(),
            null,
            now,
            now.plus(Quarantine.UNHELD),
            null,
            null));
    return shown;
  }

  /** An operator takes the node out of use, or holds the quarantines that it has. */
  void hold(Node node, String operator, String reason, @Nullable Instant until, Instant now) {
    List<Quarantine> standing = of(node);
    standing.forEach(q -> health.write(q.held(operator, reason, until)));
    if (standing.isEmpty()) {
      order(
          node,
          new Quarantine(
              new QuarantineId(ids.next()),
              node.cluster(),
              node.id(),
              null,
              reason,
              operator,
              now,
              until,
              null,
              null));
    }
  }

  List<Quarantine> of(Node node) {
    return health.standing(node.cluster()).stream()
        .filter(q -> q.node().equals(node.id()))
        .toList();
  }

  private void order(Node node, Quarantine quarantine) {
    health.write(quarantine);
    inventory.order(node.id(), NodeOrder.QUARANTINE);
  }

  private int gpuNodes(Cluster cluster) {
    return (int)
        inventory.nodes(cluster.id()).stream()
            .filter(n -> n.state() != NodeState.RETIRED && !n.gpus().isEmpty())
            .count();
  }
}
