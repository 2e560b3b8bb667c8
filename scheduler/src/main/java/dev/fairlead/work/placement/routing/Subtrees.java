package dev.fairlead.work.placement.routing;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.resources.Saturating;

/** Calculates whether nodes around a queue have enough of their own quota for an amount. */
public final class Subtrees {
  private final QuotaTree tree;

  public Subtrees(QuotaTree tree) {
    this.tree = tree;
  }

  /** Returns whether the node would use more than the quota of its subtree. */
  public boolean borrows(QuotaNodeId id, QuotaCell cell, long more) {
    return Saturating.plus(tree.used(id, cell), more) > tree.subtreeQuota(id, cell);
  }

  /** Returns the quota that the node neither lends nor uses. */
  public long ownRoom(QuotaNodeId id, QuotaCell cell) {
    return Math.max(0, Saturating.minus(tree.guaranteed(id, cell), tree.used(id, cell)));
  }
}
