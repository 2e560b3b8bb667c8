package dev.fairlead.placement.admission;

import dev.fairlead.placement.ledger.Undo;
import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;
import java.util.Map;
import java.util.SortedMap;

/** The quota tree once all who leave have left and all reservations are taken up. */
public final class Later {
  private final QuotaTree tree;

  Later(QuotaTree now) {
    tree = new QuotaTree(now.nodes(), now.uses());
  }

  boolean admits(QuotaNodeId queue, Charges charges) {
    for (Map.Entry<QuotaCell, Long> cell : charges.cells().entrySet()) {
      if (tree.available(queue, cell.getKey()) < cell.getValue()) {
        return false;
      }
    }
    return true;
  }

  /** Takes so much; the result gives it back. */
  public Undo take(QuotaNodeId queue, SortedMap<QuotaCell, Long> cells) {
    if (tree.node(queue).isEmpty()) {
      return () -> {};
    }
    cells.forEach((cell, amount) -> tree.use(queue, cell, amount));
    return () -> give(queue, cells);
  }

  /** Gives so much back. */
  public void give(QuotaNodeId queue, SortedMap<QuotaCell, Long> cells) {
    if (tree.node(queue).isPresent()) {
      cells.forEach((cell, amount) -> tree.free(queue, cell, amount));
    }
  }

  public QuotaTree copy() {
    return new QuotaTree(tree.nodes(), tree.uses());
  }
}
