package dev.fairlead.work.placement.ledger;

import dev.fairlead.work.placement.shape.MemberShape;
import org.jspecify.annotations.Nullable;

/** How one member finds its node on a cluster. */
public interface NodeChoice {
  /**
   * A node with its GPU.
   *
   * @param slot slot of the device for a part of one, -1 for anything else
   */
  record Chosen(NodeCapacity capacity, int slot) {}

  /**
   * The node to take among the open ones that fit; the ledger is not changed.
   *
   * @param model of its GPUs, null for any that the member accepts
   * @return null when none fits
   */
  @Nullable Chosen best(MemberShape member, @Nullable String model, WorkBudget work);
}
