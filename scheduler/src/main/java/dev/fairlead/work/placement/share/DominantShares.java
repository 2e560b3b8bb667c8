package dev.fairlead.work.placement.share;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.resources.Saturating;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Weighted dominant resource share (dominant resource fairness, Ghodsi et al., NSDI 2011, in the
 * form of Kueue's fair sharing). For each resource, it takes the use of a node beyond the quota of
 * its subtree, summed over flavors, in thousandths of the amount that its parent could offer on an
 * idle fleet. The share is the largest of these ratios over resources, divided by the node's
 * weight.
 */
public final class DominantShares {
  private static final double MILLI = 1000;

  private final QuotaTree tree;
  private final QuotaTree unused;
  private final SortedSet<QuotaCell> cells = new TreeSet<>();
  private final SortedMap<QuotaNodeId, SortedMap<String, Long>> offers = new TreeMap<>();

  public DominantShares(QuotaTree tree) {
    this.tree = tree;
    unused = tree.with(List.of());
    for (QuotaNode node : tree.nodes()) {
      for (QuotaLimit limit : node.limits()) {
        cells.add(new QuotaCell(limit.flavor(), limit.resource()));
      }
    }
  }

  /** Returns the share of a node with the current use. */
  public Share of(QuotaNodeId node) {
    return of(node, new TreeMap<>());
  }

  /**
   * Returns the share of a node with additional use.
   *
   * @param more base units added to its use, by cell. Cells without any limit in the tree are
   *     ignored
   */
  public Share of(QuotaNodeId id, Map<QuotaCell, Long> more) {
    QuotaNode node = tree.node(id).orElseThrow();
    if (node.parent() == null || tree.node(node.parent()).isEmpty()) {
      return Share.none(node.weight());
    }
    SortedMap<String, Long> borrowed = new TreeMap<>();
    for (QuotaCell cell : cells) {
      long used = Saturating.plus(tree.used(id, cell), more.getOrDefault(cell, 0L));
      long over = Saturating.minus(used, tree.subtreeQuota(id, cell));
      if (over > 0) {
        borrowed.merge(cell.resource(), over, Saturating::plus);
      }
    }
    return borrowed.isEmpty() ? Share.none(node.weight()) : dominant(node, borrowed);
  }

  private Share dominant(QuotaNode node, SortedMap<String, Long> borrowed) {
    double largest = -1;
    @Nullable String dominant = null;
    for (Map.Entry<String, Long> resource : borrowed.entrySet()) {
      long offered = offered(node.parent(), resource.getKey());
      double ratio = offered > 0 ? resource.getValue() * MILLI / offered : 0;
      if (offered > 0 && ratio > largest) {
        largest = ratio;
        dominant = resource.getKey();
      }
    }
    return new Share(Math.max(0, largest), node.weight(), dominant);
  }

  /** Returns the amount of a resource that a group could offer on an idle fleet. Computed once. */
  public long offered(@Nullable QuotaNodeId parent, String resource) {
    if (parent == null) {
      return 0;
    }
    return offers
        .computeIfAbsent(parent, p -> new TreeMap<>())
        .computeIfAbsent(resource, r -> summed(parent, r));
  }

  private long summed(QuotaNodeId parent, String resource) {
    long sum = 0;
    for (QuotaCell cell : cells) {
      if (cell.resource().equals(resource)) {
        sum = Saturating.plus(sum, unused.available(parent, cell));
      }
    }
    return sum;
  }
}
