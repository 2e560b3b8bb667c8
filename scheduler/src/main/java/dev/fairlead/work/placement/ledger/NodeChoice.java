package dev.fairlead.work.placement.ledger;

import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.MemberShape;
import org.jspecify.annotations.Nullable;

/** Chooses the node for one member on a cluster. */
public interface NodeChoice {
  /**
   * A node with a GPU.
   *
   * @param slot slot of the device for a GPU fraction, -1 for other requests
   */
  record Chosen(NodeCapacity capacity, int slot) {}

  /**
   * Returns the best node among the open nodes that fit, without changing the ledger.
   *
   * @param model model of its GPUs, null for any that the member accepts
   * @return null if none fits
   */
  @Nullable Chosen best(MemberShape member, @Nullable String model, WorkBudget work);
}
