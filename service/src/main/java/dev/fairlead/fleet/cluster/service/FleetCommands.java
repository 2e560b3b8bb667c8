package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.ClusterLifecycle;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.util.TreeMap;
import org.springframework.stereotype.Service;

/**
 * Takes nodes and clusters out of service and returns them to service. Running attempts continue.
 */
@Service
public class FleetCommands {
  private static final int MOST_TRIES = 5;
  private final Transactions transactions;
  private final InventoryStore inventory;
  private final AuditLog audit;

  public FleetCommands(Transactions transactions, InventoryStore inventory, AuditLog audit) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.audit = audit;
  }

  /**
   * Cordons a node, so it accepts no new work. The cluster is updated too if it grants the right.
   *
   * @param text id or name
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_PARAMETER for a name of several nodes
   */
  public NodeView cordon(Actor actor, String text, boolean validateOnly) {
    return order(actor, text, NodeOrder.CORDON, validateOnly);
  }

  /**
   * Uncordons a node and ends its drain. The node returns to service when its cluster reports it as
   * schedulable. Cordons that others set in the cluster remain.
   *
   * @param text id or name
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_PARAMETER for a name of several nodes
   */
  public NodeView uncordon(Actor actor, String text, boolean validateOnly) {
    return order(actor, text, NodeOrder.UNCORDON, validateOnly);
  }

  private NodeView order(Actor actor, String text, NodeOrder order, boolean validateOnly) {
    String operation = order == NodeOrder.CORDON ? "cordonNode" : "uncordonNode";
    Permissions.require(actor, operation);
    return transactions.call(() -> {
      Node node = FleetNames.node(inventory, text);
      Cluster cluster = inventory.cluster(node.cluster()).orElse(null);
      if (validateOnly) {
        return new NodeView(node, cluster);
      }
      Node after = inventory.order(node.id(), order).orElse(node);
      audit.append(AuditRecord.change(actor, operation, node, after, of -> of.id().text()));
      return new NodeView(after, cluster);
    });
  }

  /**
   * Changes the state of a cluster. DRAIN accepts no new work and lets running attempts finish.
   * DISABLE stops its supervision. ENABLE returns it to service.
   *
   * @param text id or name
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE if its state does not accept the event
   */
  public ClusterReadModel move(Actor actor, String text, ClusterEvent event, boolean validateOnly) {
    Permissions.require(actor, "updateCluster");
    for (int tries = 1; ; tries++) {
      try {
        return transactions.call(() -> moved(actor, text, event, validateOnly));
      } catch (Conflict raced) {
        if (tries == MOST_TRIES) {
          throw raced;
        }
      }
    }
  }

  private ClusterReadModel moved(
      Actor actor, String text, ClusterEvent event, boolean validateOnly) {
    Cluster cluster = FleetNames.cluster(inventory, text);
    Cluster after = after(cluster, event);
    if (!validateOnly && after.state() != cluster.state()) {
      inventory.update(after);
      TreeMap<String, Object> detail = new TreeMap<>();
      detail.put("state", after.state().name());
      audit.append(
          new AuditRecord(actor, "updateCluster", cluster.id().text(), true, detail)
              .changed(cluster, after));
    }
    return new ClusterReadModel(after, inventory.size(cluster.id()));
  }

  /** Returns the cluster after the event, unchanged if it is in the target state already. */
  static Cluster after(Cluster cluster, ClusterEvent event) {
    ClusterState next = ClusterLifecycle.TABLE.next(cluster.state(), event).orElse(cluster.state());
    if (next != target(event) && event != ClusterEvent.ENABLE) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Cluster " + cluster.name() + " is " + cluster.state() + ": enable it first.");
    }
    return next == cluster.state() ? cluster : cluster.in(next);
  }

  static void refuseUnlessAt(long expected, Cluster cluster) {
    if (expected != cluster.version()) {
      throw stale(cluster.name());
    }
  }

  static Refusal stale(String cluster) {
    return new Refusal(
        ProblemCode.VERSION_MISMATCH,
        "Cluster "
            + cluster
            + " was changed since it was read. Read it again and repeat if the change still applies.");
  }

  private static ClusterState target(ClusterEvent event) {
    return switch (event) {
      case DRAIN -> ClusterState.DRAINING;
      case DISABLE -> ClusterState.DISABLED;
      case ENABLE, CONTACT, TROUBLE, SILENCE -> ClusterState.ACTIVE;
    };
  }
}
