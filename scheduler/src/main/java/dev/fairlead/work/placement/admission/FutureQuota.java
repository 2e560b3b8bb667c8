package dev.fairlead.work.placement.admission;

import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.work.placement.node.Undo;

/** The quota tree after all terminating attempts have left and all reservations are used. */
public final class FutureQuota {
  private final QuotaTree tree;

  FutureQuota(QuotaTree now) {
    tree = now.with(now.uses());
  }

  QuotaTree tree() {
    return tree;
  }

  boolean admits(QuotaNodeId queue, Charges charges) {
    return charges.fit(tree, queue);
  }

  /** Charges the amounts. Running the result returns them. */
  public Undo take(QuotaNodeId queue, Charges charges) {
    if (tree.node(queue).isEmpty()) {
      return () -> {};
    }
    charges.use(tree, queue);
    return () -> give(queue, charges);
  }

  /** Returns the amounts to the tree. */
  public void give(QuotaNodeId queue, Charges charges) {
    if (tree.node(queue).isPresent()) {
      charges.free(tree, queue);
    }
  }

  public QuotaTree copy() {
    return tree.with(tree.uses());
  }
}
