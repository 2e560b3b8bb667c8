package dev.fairlead.fleet.operation.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterEvent;
import dev.fairlead.fleet.cluster.ClusterLifecycle;
import dev.fairlead.fleet.cluster.ClusterState;
import dev.fairlead.fleet.cluster.FleetNames;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.operation.DrainDeadline;
import dev.fairlead.fleet.operation.Drains;
import dev.fairlead.fleet.operation.Operation;
import dev.fairlead.fleet.operation.OperationEvent;
import dev.fairlead.fleet.operation.OperationId;
import dev.fairlead.fleet.operation.OperationStore;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.problem.ProblemCode;
import dev.fairlead.kernel.problem.Refusal;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.people.audit.AuditLog;
import dev.fairlead.people.audit.AuditRecord;
import dev.fairlead.people.tenant.Actor;
import dev.fairlead.people.tenant.Permissions;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Starts and cancels drains. A drained node is cordoned. Its jobs move by their own rules, and
 * {@link DrainLoop} ends the operation when the node is empty.
 */
@Service
public class DrainCommands {
  private static final int MOST_TRIES = 5;
  private final Transactions transactions;
  private final InventoryStore inventory;
  private final OperationStore operations;
  private final Drains drains;
  private final AuditLog audit;
  private final IdSource ids;
  private final InstantSource clock;

  public DrainCommands(
      Transactions transactions,
      InventoryStore inventory,
      OperationStore operations,
      AuditLog audit,
      IdSource ids,
      InstantSource clock) {
    this.transactions = transactions;
    this.inventory = inventory;
    this.operations = operations;
    this.drains = new Drains(operations, inventory);
    this.audit = audit;
    this.ids = ids;
    this.clock = clock;
  }

  /**
   * Cordons the node and starts a drain. A repeated order returns the same operation, with the new
   * deadline if one is given.
   *
   * @param text id or name of the node
   * @param deadline time by which the node must be empty, null if none
   * @throws Refusal FORBIDDEN, NOT_FOUND, INVALID_PARAMETER for a name of several nodes,
   *     ILLEGAL_STATE if a drain of another actor runs
   */
  public Operation drainNode(
      Actor actor, String text, @Nullable DrainDeadline deadline, boolean validateOnly) {
    Permissions.require(actor, "drainNode");
    return once(() -> {
      Node node = FleetNames.node(inventory, text);
      Operation running = running(actor, node.name(), node.cluster(), node.id());
      if (running != null) {
        return due(actor, "drainNode", running, deadline, validateOnly);
      }
      Operation drain = begun(actor, node.name(), node.cluster(), node.id(), deadline);
      if (!validateOnly) {
        Node after = drains.begin(drain, node.id()).orElse(node);
        audit.append(AuditRecord.change(actor, "drainNode", node, after, of -> of.id().text()));
      }
      return drain;
    });
  }

  /**
   * Drains all nodes of the cluster like {@link #drainNode}. The cluster accepts no new work until
   * it is enabled again.
   */
  public Operation drainCluster(
      Actor actor, String text, @Nullable DrainDeadline deadline, boolean validateOnly) {
    Permissions.require(actor, "drainCluster");
    return once(() -> {
      Cluster cluster = FleetNames.cluster(inventory, text);
      Operation running = running(actor, cluster.name(), cluster.id(), null);
      if (running != null) {
        return due(actor, "drainCluster", running, deadline, validateOnly);
      }
      if (cluster.state() == ClusterState.DISABLED) {
        throw new Refusal(
            ProblemCode.ILLEGAL_STATE,
            "Cluster " + cluster.name() + " is DISABLED: Fairlead does not supervise it.");
      }
      Operation drain = begun(actor, cluster.name(), cluster.id(), null, deadline);
      if (!validateOnly) {
        operations.insert(drain);
        Cluster after =
            ClusterLifecycle.TABLE
                .next(cluster.state(), ClusterEvent.DRAIN)
                .map(cluster::in)
                .orElse(cluster);
        if (after.state() != cluster.state()) {
          inventory.update(after);
        }
        audit.append(
            AuditRecord.change(actor, "drainCluster", cluster, after, of -> of.id().text()));
      }
      return drain;
    });
  }

  /**
   * Cancels an operation. Its node remains cordoned, and its cluster accepts no new work. An
   * uncordon returns them to service.
   *
   * @throws Refusal FORBIDDEN, NOT_FOUND, ILLEGAL_STATE if it has ended
   */
  public Operation cancel(Actor actor, OperationId id, boolean validateOnly) {
    Permissions.require(actor, "cancelOperation");
    return once(() -> {
      Operation known =
          operations
              .find(actor.tenant(), id)
              .orElseThrow(() ->
                  new Refusal(ProblemCode.NOT_FOUND, "There is no operation " + id.text() + "."));
      Operation cancelled =
          known
              .ended(OperationEvent.CANCEL, "cancelled by " + actor.name(), clock.instant())
              .orElseThrow(() ->
                  new Refusal(
                      ProblemCode.ILLEGAL_STATE, "The operation has " + known.state() + "."));
      if (!validateOnly) {
        drains.end(cancelled);
        audit.append(
            AuditRecord.change(actor, "cancelOperation", known, cancelled, of -> of.id().text()));
      }
      return cancelled;
    });
  }

  private @Nullable Operation running(
      Actor actor, String subject, ClusterId cluster, @Nullable NodeId node) {
    Operation known = operations.running(cluster, node).orElse(null);
    if (known != null && !known.tenant().equals(actor.tenant())) {
      throw new Refusal(ProblemCode.ILLEGAL_STATE, subject + " is already being drained.");
    }
    return known;
  }

  private Operation due(
      Actor actor,
      String order,
      Operation running,
      @Nullable DrainDeadline deadline,
      boolean validateOnly) {
    if (deadline == null || deadline.equals(running.deadline())) {
      return running;
    }
    Operation after = running.due(deadline);
    if (!validateOnly) {
      operations.update(after);
      audit.append(AuditRecord.change(actor, order, running, after, of -> of.id().text()));
    }
    return after;
  }

  private Operation begun(
      Actor actor,
      String subject,
      ClusterId cluster,
      @Nullable NodeId node,
      @Nullable DrainDeadline deadline) {
    return Operation.drain(
        new OperationId(ids.next()),
        actor.tenant(),
        actor.name(),
        cluster,
        node,
        subject,
        deadline,
        clock.instant());
  }

  /** Runs the work in one transaction, and repeats it after a concurrent change. */
  private Operation once(Supplier<Operation> work) {
    for (int tries = 1; ; tries++) {
      try {
        return transactions.call(work);
      } catch (Conflict raced) {
        if (tries == MOST_TRIES) {
          throw raced;
        }
      }
    }
  }
}
