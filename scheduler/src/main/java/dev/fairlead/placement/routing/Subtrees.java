package dev.fairlead.placement.routing;

import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.resources.Saturating;
import java.util.List;

/** Which subtree around a queue has room for an amount within its own quota. */
public final class Subtrees {
  private final QuotaTree tree;

  public Subtrees(QuotaTree tree) {
    this.tree = tree;
  }

  /**
   * The smallest subtree whose own quota holds an amount.
   *
   * @param height 0 = the queue; the root's when none holds it
   * @param reclaims whether others outside of it may be using what it owns
   */
  public record Smallest(int height, boolean reclaims) {}

  public Smallest holding(QuotaNodeId queue, QuotaCell cell, long amount) {
    List<QuotaNode> path = tree.path(queue);
    long rest = amount;
    for (QuotaNode node : path) {
      boolean root = node.equals(path.getLast());
      if (!borrows(node.id(), cell, rest)) {
        return new Smallest(height(node.id()), !root);
      }
      if (path.size() == 1) {
        return new Smallest(0, false);
      }
      rest -= ownRoom(node.id(), cell);
    }
    return new Smallest(path.isEmpty() ? 0 : height(path.getLast().id()), false);
  }

  /** Whether the node would use more than the quota of its subtree. */
  public boolean borrows(QuotaNodeId id, QuotaCell cell, long more) {
    return Saturating.plus(tree.used(id, cell), more) > tree.subtreeQuota(id, cell);
  }

  /** What the node has that it does not lend and does not use. */
  public long ownRoom(QuotaNodeId id, QuotaCell cell) {
    return Math.max(0, Saturating.minus(tree.guaranteed(id, cell), tree.used(id, cell)));
  }

  /** Levels below the node; 0 for a queue. */
  private int height(QuotaNodeId id) {
    int height = 0;
    for (QuotaNode node : tree.nodes()) {
      List<QuotaNodeId> path = tree.path(node.id()).stream().map(QuotaNode::id).toList();
      height = Math.max(height, path.indexOf(id));
    }
    return height;
  }
}
