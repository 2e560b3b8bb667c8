package dev.fairlead.cluster.service;

import dev.fairlead.audit.AuditLog;
import dev.fairlead.audit.AuditRecord;
import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterEvent;
import dev.fairlead.cluster.ClusterLifecycle;
import dev.fairlead.cluster.ClusterState;
import dev.fairlead.cluster.FleetNames;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.cluster.Node;
import dev.fairlead.cluster.NodeOrder;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.tenant.Actor;
import dev.fairlead.tenant.Permissions;
import dev.fairlead.transaction.Conflict;
import dev.fairlead.transaction.Transactions;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Takes nodes and clusters out of use and back. What runs there goes on. */
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
   * From now on nothing new is placed on the node, and its cluster is told too where it grants that
   * right.
   *
   * @param text id or name
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_PARAMETER for a name of several nodes
   */
  public Node cordon(Actor actor, String text, boolean validateOnly) {
    return order(actor, text, NodeOrder.CORDON, validateOnly);
  }

  /**
   * The node comes back into use as soon as its cluster shows it free; a mark that somebody else
   * set there stays. A drain of it ends.
   *
   * @param text id or name
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_PARAMETER for a name of several nodes
   */
  public Node uncordon(Actor actor, String text, boolean validateOnly) {
    return order(actor, text, NodeOrder.UNCORDON, validateOnly);
  }

  private Node order(Actor actor, String text, NodeOrder order, boolean validateOnly) {
    Permissions.administer(actor, "cordon nodes");
    return transactions.call(() -> {
      Node node = FleetNames.node(inventory, text);
      if (validateOnly) {
        return node;
      }
      String operation = order == NodeOrder.CORDON ? "cordonNode" : "uncordonNode";
      audit.append(new AuditRecord(actor, operation, node.id().text(), true, new TreeMap<>()));
      return inventory.order(node.id(), order).orElse(node);
    });
  }

  /**
   * Moves a cluster: DRAIN takes nothing new and runs what it has, DISABLE is not supervised,
   * ENABLE brings it back into service.
   *
   * @param text id or name
   * @param expected version that the caller has seen, null for any
   * @throws Refusal FORBIDDEN, NOT_FOUND, VERSION_MISMATCH, ILLEGAL_STATE when its state does not
   *     take the event
   */
  public ClusterView move(
      Actor actor, String text, ClusterEvent event, @Nullable Long expected, boolean validateOnly) {
    Permissions.administer(actor, "change clusters");
    for (int tries = 1; ; tries++) {
      try {
        return transactions.call(() -> moved(actor, text, event, expected, validateOnly));
      } catch (Conflict raced) {
        if (tries == MOST_TRIES) {
          throw raced;
        }
      }
    }
  }

  private ClusterView moved(
      Actor actor, String text, ClusterEvent event, @Nullable Long expected, boolean validateOnly) {
    Cluster cluster = FleetNames.cluster(inventory, text);
    if (expected != null && expected != cluster.version()) {
      throw new Refusal(
          ProblemCode.VERSION_MISMATCH,
          "The cluster is at version " + cluster.version() + ". Read it again and decide anew.");
    }
    ClusterState target = target(event);
    ClusterState next = ClusterLifecycle.TABLE.next(cluster.state(), event).orElse(cluster.state());
    if (next != target && event != ClusterEvent.ENABLE) {
      throw new Refusal(
          ProblemCode.ILLEGAL_STATE,
          "Cluster " + cluster.name() + " is " + cluster.state() + ": enable it first.");
    }
    Cluster after = next == cluster.state() ? cluster : cluster.in(next);
    if (!validateOnly && next != cluster.state()) {
      inventory.update(after);
      TreeMap<String, Object> detail = new TreeMap<>();
      detail.put("state", next.name());
      audit.append(new AuditRecord(actor, "updateCluster", cluster.id().text(), true, detail));
    }
    return ClusterView.of(after, inventory.nodes(cluster.id()));
  }

  private static ClusterState target(ClusterEvent event) {
    return switch (event) {
      case DRAIN -> ClusterState.DRAINING;
      case DISABLE -> ClusterState.DISABLED;
      case ENABLE, CONTACT, TROUBLE, SILENCE -> ClusterState.ACTIVE;
    };
  }
}
