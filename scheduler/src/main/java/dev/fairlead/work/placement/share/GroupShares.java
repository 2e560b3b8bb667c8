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

/** Shares of the children of each group by the policy of the group, as the tree is used now. */
public final class GroupShares {
  private final QuotaTree tree;
  private final DominantShares dominant;
  private final DeservedOrder deserved;

  /**
   * @param waiting thousandths of GPUs that jobs wait for, by queue and cell; for groups that
   *     divide GPUs
   * @param fleetGpus GPUs of each flavor that the fleet has, for the same groups
   */
  public GroupShares(
      QuotaTree tree,
      SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> waiting,
      ToLongFunction<Flavor> fleetGpus) {
    this.tree = tree;
    dominant = new DominantShares(tree);
    deserved = new DeservedOrder(tree, waiting, fleetGpus);
  }

  /** For a tree in which no group divides GPUs, or no job waits. */
  public GroupShares(QuotaTree tree) {
    this(tree, Collections.emptySortedMap(), flavor -> Long.MAX_VALUE);
  }

  /**
   * Share of a node in its group.
   *
   * @param contended cells of the job that is compared; a group that divides GPUs compares the
   *     flavors among them
   */
  public Share of(QuotaNode node, Collection<QuotaCell> contended) {
    return switch (policy(node.parent())) {
      case DOMINANT_SHARE, PRIORITY -> dominant.of(node.id());
      case DESERVED_SHARE -> deserved.of(node, contended);
    };
  }

  /** What a node uses of all but GPUs, for a group that divides these alone. */
  public Share besideGpus(QuotaNode node) {
    return deserved.besideGpus(node);
  }

  /**
   * Whether others of its group may have a claim on what it has.
   *
   * @param contended as for {@link #of}
   */
  public boolean above(QuotaNode node, Collection<QuotaCell> contended) {
    return switch (policy(node.parent())) {
      case DOMINANT_SHARE, PRIORITY -> !dominant.of(node.id()).isZero();
      case DESERVED_SHARE -> deserved.above(node, contended);
    };
  }

  /** How a group decides; dominant share where there is none. */
  public SharePolicy policy(@Nullable QuotaNodeId group) {
    return group == null
        ? SharePolicy.DOMINANT_SHARE
        : tree.node(group).map(QuotaNode::share).orElse(SharePolicy.DOMINANT_SHARE);
  }

  /** As {@link DominantShares#offered}. */
  public long offered(@Nullable QuotaNodeId group, String resource) {
    return dominant.offered(group, resource);
  }
}
