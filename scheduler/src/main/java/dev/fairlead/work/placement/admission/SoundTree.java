package dev.fairlead.work.placement.admission;

import dev.fairlead.fleet.quota.FleetQuota;
import dev.fairlead.fleet.quota.LimitWindow;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaUse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The trustworthy rows of a quota tree. Limits that cannot be read admit no job: a node with a
 * broken path to the root is excluded with the reason, and a negative amount counts as zero.
 */
final class SoundTree {
  private final SortedMap<QuotaNodeId, QuotaNode> sound = new TreeMap<>();
  private final SortedMap<QuotaNodeId, String> broken = new TreeMap<>();

  SoundTree(Collection<QuotaNode> rows) {
    SortedMap<QuotaNodeId, QuotaNode> all = new TreeMap<>();
    for (QuotaNode row : rows) {
      all.merge(row.id(), row, SoundTree::newer);
    }
    boolean fleet = all.values().stream().anyMatch(QuotaNode::ofFleet);
    for (QuotaNode node : all.values()) {
      String trouble = trouble(node, all);
      if (trouble == null && fleet && !node.ofFleet() && !walled(node, all)) {
        trouble = "the platform's limits for its tenant cannot be read";
      }
      if (trouble == null) {
        sound.put(node.id(), clean(node));
      } else {
        broken.put(node.id(), trouble);
      }
    }
  }

  Collection<QuotaNode> nodes() {
    return sound.values();
  }

  /** Returns why the node is excluded, as human-readable text. */
  Optional<String> broken(QuotaNodeId id) {
    return Optional.ofNullable(broken.get(id));
  }

  /**
   * Returns one use per node and cell, never negative. If two uses differ, the larger one counts.
   */
  static List<QuotaUse> clean(Collection<QuotaUse> uses) {
    SortedMap<QuotaNodeId, SortedMap<QuotaCell, QuotaUse>> most = new TreeMap<>();
    for (QuotaUse use : uses) {
      QuotaUse sound =
          new QuotaUse(
              use.node(), use.cell(), Math.max(0, use.used()), Math.max(0, use.nonPreemptible()));
      most.computeIfAbsent(use.node(), n -> new TreeMap<>())
          .merge(use.cell(), sound, SoundTree::larger);
    }
    return most.values().stream().flatMap(cells -> cells.values().stream()).toList();
  }

  private static QuotaUse larger(QuotaUse a, QuotaUse b) {
    return new QuotaUse(
        a.node(),
        a.cell(),
        Math.max(a.used(), b.used()),
        Math.max(a.nonPreemptible(), b.nonPreemptible()));
  }

  private static QuotaNode newer(QuotaNode a, QuotaNode b) {
    return Comparator.comparingLong(QuotaNode::version)
                .thenComparing(QuotaNode::toString)
                .compare(a, b)
            >= 0
        ? a
        : b;
  }

  private static @Nullable String trouble(QuotaNode node, SortedMap<QuotaNodeId, QuotaNode> all) {
    QuotaNode above = node;
    for (int steps = 0; steps <= all.size(); steps++) {
      if (above.parent() == null) {
        return null;
      }
      QuotaNode parent = all.get(above.parent());
      if (parent == null) {
        return "the parent of '" + above.name() + "' does not exist";
      }
      above = parent;
    }
    return "its parents form a cycle";
  }

  private static boolean walled(QuotaNode node, SortedMap<QuotaNodeId, QuotaNode> all) {
    return all.containsKey(FleetQuota.ROOT) && all.containsKey(FleetQuota.of(node.tenant()));
  }

  private static QuotaNode clean(QuotaNode node) {
    SortedMap<QuotaCell, QuotaLimit> limits = new TreeMap<>();
    for (QuotaLimit limit : node.limits()) {
      QuotaLimit clean =
          new QuotaLimit(
              limit.flavor(),
              limit.resource(),
              atLeastZero(limit.nominal()),
              atLeastZero(limit.borrowingLimit()),
              atLeastZero(limit.lendingLimit()),
              limit.windows().stream().map(SoundTree::clean).toList(),
              limit.evictLead());
      limits.merge(new QuotaCell(limit.flavor(), limit.resource()), clean, SoundTree::lower);
    }
    return node.with()
        .weight(Math.max(0, node.weight()))
        .limits(new ArrayList<>(limits.values()))
        .build();
  }

  private static LimitWindow clean(LimitWindow window) {
    return new LimitWindow(
        window.window(), atLeastZero(window.nominal()), atLeastZero(window.borrowingLimit()));
  }

  private static QuotaLimit lower(QuotaLimit a, QuotaLimit b) {
    Comparator<QuotaLimit> order =
        Comparator.comparing(QuotaLimit::nominal, Comparator.nullsLast(Comparator.naturalOrder()))
            .thenComparing(QuotaLimit::toString);
    return order.compare(a, b) <= 0 ? a : b;
  }

  private static @Nullable Long atLeastZero(@Nullable Long amount) {
    return amount == null ? null : Long.valueOf(Math.max(0, amount));
  }
}
