package dev.fairlead.fleet.operation;

import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import java.util.Optional;

/** Writes of a node drain, in the caller's open transaction. */
public final class Drains {
  private final OperationStore operations;
  private final InventoryStore inventory;

  public Drains(OperationStore operations, InventoryStore inventory) {
    this.operations = operations;
    this.inventory = inventory;
  }

  /**
   * Cordons the node, starts its drain and returns the changed node.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN if a drain of the node is already
   *     running
   */
  public Optional<Node> begin(Operation drain, NodeId node) {
    operations.insert(drain);
    return inventory.order(node, NodeOrder.DRAIN);
  }

  /**
   * Does the same, and returns whether an operator had cordoned the node before.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict in the same cases
   */
  public boolean beginOn(Operation drain, NodeId node) {
    operations.insert(drain);
    boolean cordoned = inventory.lockedCordon(node).filter(Cordon.ORDERED::equals).isPresent();
    boolean _ = inventory.order(node, NodeOrder.DRAIN).isPresent();
    return cordoned;
  }

  /** Writes the end of a drain. The node stays cordoned. */
  public void end(Operation ended) {
    operations.update(ended);
    NodeId node = ended.node();
    if (node != null) {
      inventory.order(node, NodeOrder.END_DRAIN);
    }
  }
}
