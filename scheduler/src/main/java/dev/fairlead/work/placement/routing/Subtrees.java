package dev.fairlead.work.placement.routing;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.resources.Saturating;

/** Which subtree around a queue has room for an amount within its own quota. */
public final class Subtrees {
  private final QuotaTree tree;

  public Subtrees(QuotaTree tree) {
    this.tree = tree;
  }

  /** Whether the node would use more than the quota of its subtree. */
  public boolean borrows(QuotaNodeId id, QuotaCell cell, long more) {
    return Saturating.plus(tree.used(id, cell), more) > tree.subtreeQuota(id, cell);
  }

  /** What the node has that it does not lend and does not use. */
  public long ownRoom(QuotaNodeId id, QuotaCell cell) {
    return Math.max(0, Saturating.minus(tree.guaranteed(id, cell), tree.used(id, cell)));
  }
}
