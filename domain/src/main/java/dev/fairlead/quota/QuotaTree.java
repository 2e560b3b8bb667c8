package dev.fairlead.quota;

import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.Saturating;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic of hierarchical quota (the rules of Kueue's {@code resource_node.go}): what a node
 * does not lend is its own; the rest flows to its parent, which it may borrow from up to its limit.
 * Use of a node that exceeds its own part counts in its parent.
 *
 * <p>Immutable configuration, mutable use; not for several threads.
 */
public final class QuotaTree {
  private final SortedMap<QuotaNodeId, QuotaNode> nodes = new TreeMap<>();
  private final SortedMap<QuotaNodeId, List<QuotaNodeId>> children = new TreeMap<>();
  private final SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> used = new TreeMap<>();
  private final SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> subtree = new TreeMap<>();

  public QuotaTree(Collection<QuotaNode> all, Collection<QuotaUse> uses) {
    for (QuotaNode node : all) {
      nodes.put(node.id(), node);
    }
    for (QuotaNode node : nodes.values()) {
      if (node.parent() != null && nodes.containsKey(node.parent())) {
        children.computeIfAbsent(node.parent(), p -> new ArrayList<>()).add(node.id());
      }
    }
    for (QuotaUse use : uses) {
      used.computeIfAbsent(use.node(), n -> new TreeMap<>()).put(use.cell(), use.used());
    }
  }

  public Optional<QuotaNode> node(QuotaNodeId id) {
    return Optional.ofNullable(nodes.get(id));
  }

  public Collection<QuotaNode> nodes() {
    return nodes.values();
  }

  /** The queue and its ancestors, queue first; a parent that is not in the tree ends the path. */
  public List<QuotaNode> path(QuotaNodeId queue) {
    List<QuotaNode> path = new ArrayList<>();
    QuotaNode node = nodes.get(queue);
    while (node != null && path.size() <= nodes.size()) {
      path.add(node);
      node = node.parent() == null ? null : nodes.get(node.parent());
    }
    return path;
  }

  public long used(QuotaNodeId node, QuotaCell cell) {
    return used.getOrDefault(node, new TreeMap<>()).getOrDefault(cell, 0L);
  }

  /**
   * What the node itself is given: nothing of a flavor without an entry. Unlimited where its
   * nominal is absent, for a resource without an entry of a flavor that has one, and for a leaf
   * without limits below ancestors without limits; any other node without limits has nothing of its
   * own and lives on what it may borrow.
   */
  public long nominal(QuotaNodeId id, QuotaCell cell) {
    QuotaNode node = nodes.get(id);
    if (node == null) {
      return 0;
    }
    if (node.limits().isEmpty()) {
      return children.containsKey(id) || limitedAbove(node) ? 0 : Saturating.UNLIMITED;
    }
    long unnamed = namesFlavor(node, cell.flavor()) ? Saturating.UNLIMITED : 0;
    return limit(node, cell)
        .map(l -> l.nominal() == null ? Saturating.UNLIMITED : l.nominal())
        .orElse(unnamed);
  }

  /** What the subtree owns: its nominal and what its children lend to it. */
  public long subtreeQuota(QuotaNodeId id, QuotaCell cell) {
    Long known = subtree.computeIfAbsent(id, n -> new TreeMap<>()).get(cell);
    if (known != null) {
      return known;
    }
    long sum = nominal(id, cell);
    for (QuotaNodeId child : children.getOrDefault(id, List.of())) {
      sum = Saturating.plus(sum, lent(child, cell));
    }
    subtree.get(id).put(cell, sum);
    return sum;
  }

  /**
   * The part of the subtree's quota that is never lent; an unlimited subtree keeps to itself and
   * lends nothing.
   */
  public long guaranteed(QuotaNodeId id, QuotaCell cell) {
    long quota = subtreeQuota(id, cell);
    Long lending = lendingLimit(id, cell);
    if (lending == null) {
      return quota == Saturating.UNLIMITED ? Saturating.UNLIMITED : 0;
    }
    return Math.max(0, Saturating.minus(quota, lending));
  }

  private long lent(QuotaNodeId id, QuotaCell cell) {
    long quota = subtreeQuota(id, cell);
    Long lending = lendingLimit(id, cell);
    if (quota == Saturating.UNLIMITED) {
      return lending == null ? 0 : lending;
    }
    return Saturating.minus(quota, guaranteed(id, cell));
  }

  private @Nullable Long lendingLimit(QuotaNodeId id, QuotaCell cell) {
    QuotaNode node = nodes.get(id);
    return node == null ? null : limit(node, cell).map(QuotaLimit::lendingLimit).orElse(null);
  }

  /** What can still be used at the node now, borrowing included; negative when it is over. */
  public long available(QuotaNodeId id, QuotaCell cell) {
    QuotaNode node = nodes.get(id);
    if (node == null) {
      return 0;
    }
    long usedHere = used(id, cell);
    if (node.parent() == null || !nodes.containsKey(node.parent())) {
      return Saturating.minus(subtreeQuota(id, cell), usedHere);
    }
    long guaranteed = guaranteed(id, cell);
    long own = Math.max(0, Saturating.minus(guaranteed, usedHere));
    long fromParent = available(node.parent(), cell);
    Long borrowing = limit(node, cell).map(QuotaLimit::borrowingLimit).orElse(null);
    if (borrowing != null) {
      long stored = Saturating.minus(subtreeQuota(id, cell), guaranteed);
      long usedThere = Math.max(0, Saturating.minus(usedHere, guaranteed));
      fromParent =
          Math.min(Saturating.plus(Saturating.minus(stored, usedThere), borrowing), fromParent);
    }
    return Saturating.plus(own, fromParent);
  }

  /** Adds use at a queue; what exceeds a node's own part is counted in its parent. */
  public void use(QuotaNodeId id, QuotaCell cell, long amount) {
    QuotaNode node = nodes.get(id);
    long own = Math.max(0, Saturating.minus(guaranteed(id, cell), used(id, cell)));
    set(id, cell, Saturating.plus(used(id, cell), amount));
    if (node != null && node.parent() != null && nodes.containsKey(node.parent()) && amount > own) {
      use(node.parent(), cell, amount - own);
    }
  }

  /** Takes use away again: the exact inverse of {@link #use} for the same configuration. */
  public void free(QuotaNodeId id, QuotaCell cell, long amount) {
    QuotaNode node = nodes.get(id);
    long inParent = Saturating.minus(used(id, cell), guaranteed(id, cell));
    set(id, cell, Saturating.minus(used(id, cell), amount));
    if (node != null && node.parent() != null && nodes.containsKey(node.parent()) && inParent > 0) {
      free(node.parent(), cell, Math.min(amount, inParent));
    }
  }

  /** What a node uses beyond its subtree's quota. */
  public long borrowed(QuotaNodeId id, QuotaCell cell) {
    return Math.max(0, Saturating.minus(used(id, cell), subtreeQuota(id, cell)));
  }

  /**
   * The node on the queue's path that refuses the amount first, from the queue upwards; null when
   * it fits.
   */
  public @Nullable QuotaNode refusing(QuotaNodeId queue, QuotaCell cell, long amount) {
    if (available(queue, cell) >= amount) {
      return null;
    }
    QuotaNode refusing = nodes.get(queue);
    for (QuotaNode node : path(queue)) {
      if (available(node.id(), cell) < amount) {
        refusing = node;
      }
    }
    return refusing;
  }

  /** All use, by node and cell. */
  public List<QuotaUse> uses() {
    List<QuotaUse> all = new ArrayList<>();
    for (Map.Entry<QuotaNodeId, SortedMap<QuotaCell, Long>> node : used.entrySet()) {
      node.getValue().forEach((cell, amount) -> all.add(new QuotaUse(node.getKey(), cell, amount)));
    }
    return all;
  }

  private void set(QuotaNodeId id, QuotaCell cell, long amount) {
    used.computeIfAbsent(id, n -> new TreeMap<>()).put(cell, amount);
  }

  private boolean limitedAbove(QuotaNode node) {
    return path(node.id()).stream().anyMatch(n -> !n.limits().isEmpty());
  }

  /**
   * A node that limits GPUs of a flavor says nothing of the cpu and memory beside them: those are
   * not limited.
   */
  private static boolean namesFlavor(QuotaNode node, Flavor flavor) {
    return node.limits().stream().anyMatch(l -> l.flavor().equals(flavor));
  }

  private static Optional<QuotaLimit> limit(QuotaNode node, QuotaCell cell) {
    return node.limits().stream()
        .filter(l -> l.flavor().equals(cell.flavor()) && l.resource().equals(cell.resource()))
        .findFirst();
  }
}
