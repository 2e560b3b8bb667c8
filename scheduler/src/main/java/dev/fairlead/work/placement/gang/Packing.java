package dev.fairlead.work.placement.gang;

import dev.fairlead.work.placement.ledger.Ledger;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.score.NodePreference;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.topology.Levels;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Packs equal members into nested domains, with nodes as the innermost level. It chooses the
 * tightest domain that holds all remaining members, or the largest if none does. Members therefore
 * use few domains, and the last domain retains little unused capacity. If members go apart, the
 * nodes of an innermost domain are filled from the emptiest, one member at a time.
 */
final class Packing {
  /** Orders groups largest first, and nodes of one size fullest first. */
  private static final Comparator<Group> LARGEST_FIRST =
      Comparator.comparingInt((Group g) -> g.capacity)
          .reversed()
          .thenComparing(g -> g.node, Comparator.nullsFirst(NodePreference.FULLEST_FIRST))
          .thenComparingInt(g -> g.number);

  /** Orders groups by most idle GPU capacity. */
  private static final Comparator<Group> EMPTIEST_FIRST =
      Comparator.comparingLong((Group g) -> -g.idleMilli()).thenComparingInt(Group::rank);

  private final Group root;
  private final boolean apart;

  /**
   * @param fits number of members that a node can take
   * @param rules by level, widest first
   */
  Packing(
      List<NodeCapacity> nodes, ToIntFunction<NodeCapacity> fits, List<TopologyConstraint> rules) {
    this(nodes, fits, rules, false);
  }

  /**
   * @param apart whether members of one domain go to different nodes if enough exist
   */
  Packing(
      List<NodeCapacity> nodes,
      ToIntFunction<NodeCapacity> fits,
      List<TopologyConstraint> rules,
      boolean apart) {
    this.apart = apart;
    root = new Group(0);
    fill(root, nodes, fits, rules, 0);
    root.capacity = sum(root.children);
  }

  /** Returns the number of members that can be placed under the rules. */
  int capacity() {
    return root.capacity;
  }

  /** Allocates nodes for the members, at most {@link #capacity}. */
  void into(Ledger ledger, MemberShape member, int members) {
    assign(root, ledger, member, members);
  }

  private static void fill(
      Group group,
      List<NodeCapacity> nodes,
      ToIntFunction<NodeCapacity> fits,
      List<TopologyConstraint> rules,
      int next) {
    if (next == rules.size()) {
      for (NodeCapacity node : nodes) {
        int capacity = fits.applyAsInt(node);
        if (capacity > 0) {
          group.children.add(new Group(node, capacity));
        }
      }
      return;
    }
    TopologyConstraint rule = rules.get(next);
    byDomain(nodes, rule)
        .forEach((domain, inside) -> {
          Group child = new Group(domain);
          fill(child, inside, fits, rules, next + 1);
          child.capacity = rule.allowed(domain, sum(child.children));
          group.children.add(child);
        });
  }

  private static int sum(List<Group> groups) {
    long sum = 0;
    for (Group group : groups) {
      sum += group.capacity;
    }
    return (int) Math.min(sum, Integer.MAX_VALUE);
  }

  private static SortedMap<Integer, List<NodeCapacity>> byDomain(
      List<NodeCapacity> nodes, TopologyConstraint rule) {
    SortedMap<Integer, List<NodeCapacity>> domains = new TreeMap<>();
    for (NodeCapacity node : nodes) {
      int domain = node.domain(rule.level());
      if (domain != Levels.NONE || !rule.binding()) {
        domains.computeIfAbsent(domain, d -> new ArrayList<>()).add(node);
      }
    }
    return domains;
  }

  private void assign(Group group, Ledger ledger, MemberShape member, int members) {
    NodeCapacity node = group.node;
    if (node != null) {
      ledger.take(node, member, members);
      return;
    }
    if (apart && group.ofNodes()) {
      spread(group, ledger, member, members);
      return;
    }
    group.children.sort(LARGEST_FIRST);
    int left = members;
    for (int i = 0; left > 0; i++) {
      Group child = group.children.get(i);
      if (child.capacity >= left) {
        child = tightest(group.children, i, left);
      }
      int part = Math.min(left, child.capacity);
      assign(child, ledger, member, part);
      left -= part;
    }
  }

  private static void spread(Group group, Ledger ledger, MemberShape member, int members) {
    PriorityQueue<Group> emptiest = new PriorityQueue<>(EMPTIEST_FIRST);
    emptiest.addAll(group.children);
    for (int left = members; left > 0; left--) {
      Group next = emptiest.remove();
      ledger.take(next.node(), member, 1);
      next.capacity--;
      if (next.capacity > 0) {
        emptiest.add(next);
      }
    }
  }

  private static Group tightest(List<Group> largestFirst, int from, int members) {
    Group tightest = largestFirst.get(from);
    for (Group group : largestFirst.subList(from, largestFirst.size())) {
      if (group.capacity < members) {
        break;
      }
      if (group.capacity < tightest.capacity) {
        tightest = group;
      }
    }
    return tightest;
  }

  /** A domain, or a node at the innermost level. */
  private static final class Group {
    private final List<Group> children;
    private final @Nullable NodeCapacity node;
    private final int number;
    private int capacity;

    Group(int number) {
      children = new ArrayList<>();
      node = null;
      this.number = number;
    }

    Group(NodeCapacity node, int capacity) {
      children = List.of();
      this.node = node;
      this.capacity = capacity;
      number = 0;
    }

    boolean ofNodes() {
      return !children.isEmpty() && children.getFirst().node != null;
    }

    NodeCapacity node() {
      return Objects.requireNonNull(node);
    }

    int rank() {
      return node().rank();
    }

    long idleMilli() {
      return node().slots().idleMilli();
    }
  }
}
