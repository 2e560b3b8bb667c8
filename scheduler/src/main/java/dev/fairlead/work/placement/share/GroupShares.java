package dev.fairlead.work.placement.share;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.resources.Flavor;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Shares of the children of each group by the policy of the group, with the current use of the
 * tree.
 */
public final class GroupShares {
  private final QuotaTree tree;
  private final DominantShares dominant;
  private final DeservedOrder deserved;

  /**
   * @param waiting thousandths of GPUs that jobs wait for, by queue and cell, for groups that
   *     divide GPUs
   * @param fleetGpus GPUs of each flavor in the fleet, for the same groups
   */
  public GroupShares(
      QuotaTree tree,
      SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> waiting,
      ToLongFunction<Flavor> fleetGpus) {
    this.tree = tree;
    dominant = new DominantShares(tree);
    deserved = new DeservedOrder(tree, waiting, fleetGpus);
  }

  /** Creates shares for a tree without waiting jobs, or without groups that divide GPUs. */
  public GroupShares(QuotaTree tree) {
    this(tree, Collections.emptySortedMap(), flavor -> Long.MAX_VALUE);
  }

  /**
   * Returns the share of a node in its group.
   *
   * @param contended cells of the compared job, where a group that divides GPUs compares their
   *     flavors
   */
  public Share of(QuotaNode node, Collection<QuotaCell> contended) {
    return switch (policy(node.parent())) {
      case DOMINANT_SHARE, PRIORITY -> dominant.of(node.id());
      case DESERVED_SHARE -> deserved.of(node, contended);
    };
  }

  /** Returns the use of resources except GPUs by a node, for a group that divides only GPUs. */
  public Share besideGpus(QuotaNode node) {
    return deserved.besideGpus(node);
  }

  /**
   * Returns whether other members of its group may have a claim on the resources of a node.
   *
   * @param contended as for {@link #of}
   */
  public boolean above(QuotaNode node, Collection<QuotaCell> contended) {
    return switch (policy(node.parent())) {
      case DOMINANT_SHARE, PRIORITY -> !dominant.of(node.id()).isZero();
      case DESERVED_SHARE -> deserved.above(node, contended);
    };
  }

  /** Returns the policy of a group, dominant share without a group. */
  public SharePolicy policy(@Nullable QuotaNodeId group) {
    return group == null
        ? SharePolicy.DOMINANT_SHARE
        : tree.node(group).map(QuotaNode::share).orElse(SharePolicy.DOMINANT_SHARE);
  }

  /** Returns the same value as {@link DominantShares#offered}. */
  public long offered(@Nullable QuotaNodeId group, String resource) {
    return dominant.offered(group, resource);
  }
}
