package dev.fairlead.placement.admission;

import dev.fairlead.placement.ledger.Undo;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;

/** The quota tree once all who leave have left and all reservations are taken up. */
public final class FutureQuota {
  private final QuotaTree tree;

  FutureQuota(QuotaTree now) {
    tree = new QuotaTree(now.nodes(), now.uses());
  }

  QuotaTree tree() {
    return tree;
  }

  boolean admits(QuotaNodeId queue, Charges charges) {
    return charges.fit(tree, queue);
  }

  /** Takes so much; the result gives it back. */
  public Undo take(QuotaNodeId queue, Charges charges) {
    if (tree.node(queue).isEmpty()) {
      return () -> {};
    }
    charges.use(tree, queue);
    return () -> give(queue, charges);
  }

  /** Gives so much back. */
  public void give(QuotaNodeId queue, Charges charges) {
    if (tree.node(queue).isPresent()) {
      charges.free(tree, queue);
    }
  }

  public QuotaTree copy() {
    return new QuotaTree(tree.nodes(), tree.uses());
  }
}
