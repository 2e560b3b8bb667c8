package dev.fairlead.work.placement.admission;

import dev.fairlead.fleet.quota.FlavorFallback;
import dev.fairlead.fleet.quota.QueueSettings;
import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.placement.routing.FlavorAssignment;
import dev.fairlead.work.placement.routing.Subtrees;
import dev.fairlead.work.placement.shape.GangShape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Orders the assignments of a job in steps, by the flavor fallback of its queue, tier by tier. The
 * job starts or evicts others on the assignments of one step before the next step is tried.
 */
public final class FlavorSteps {
  private FlavorSteps() {}

  /**
   * Returns one step with all assignments in their order, unless the queue has a flavor fallback.
   */
  public static List<List<FlavorAssignment>> of(
      QuotaTree tree, QuotaNodeId queue, GangShape gang, List<FlavorAssignment> assignments) {
    FlavorFallback fallback =
        tree.node(queue)
            .map(QuotaNode::queue)
            .map(QueueSettings::flavorFallback)
            .orElse(FlavorFallback.DEFAULT);
    if (fallback.equals(FlavorFallback.DEFAULT) || assignments.size() < 2) {
      return List.of(assignments);
    }
    SortedMap<Integer, List<FlavorAssignment>> byTier = new TreeMap<>();
    assignments.forEach(r -> byTier.computeIfAbsent(r.tier(), t -> new ArrayList<>()).add(r));
    List<List<FlavorAssignment>> steps = new ArrayList<>();
    byTier.values().forEach(tier -> steps.addAll(steps(tree, queue, gang, tier, fallback)));
    boolean atOnce =
        fallback.whenCanPreempt() == FlavorFallback.WhenCanPreempt.TRY_NEXT_FLAVOR
            && fallback.preference() == FlavorFallback.Preference.BORROWING;
    return atOnce ? List.of(steps.stream().flatMap(Collection::stream).toList()) : steps;
  }

  /** Returns the steps for the assignments of one tier. */
  private static List<List<FlavorAssignment>> steps(
      QuotaTree tree,
      QuotaNodeId queue,
      GangShape gang,
      List<FlavorAssignment> assignments,
      FlavorFallback fallback) {
    boolean ownFirst = fallback.whenCanBorrow() == FlavorFallback.WhenCanBorrow.TRY_NEXT_FLAVOR;
    boolean evict = fallback.preference() == FlavorFallback.Preference.PREEMPTION;
    SortedMap<Integer, List<FlavorAssignment>> byHeight = new TreeMap<>();
    for (FlavorAssignment assignment : assignments) {
      Map<QuotaCell, Long> asks = Charges.expected(gang, assignment, gang.counts(0)).cells();
      boolean owned = !ownFirst || evict && ownedAfterEvictions(tree, queue, asks);
      int height = owned ? 0 : height(tree, queue, asks);
      byHeight.computeIfAbsent(height, h -> new ArrayList<>()).add(assignment);
    }
    List<FlavorAssignment> own = byHeight.getOrDefault(0, List.of());
    List<FlavorAssignment> borrowing =
        byHeight.tailMap(1).values().stream().flatMap(Collection::stream).toList();
    if (fallback.whenCanPreempt() == FlavorFallback.WhenCanPreempt.PREEMPT) {
      return concat(byFlavors(own), byFlavors(borrowing));
    }
    return evict ? List.of(own, borrowing) : List.of(concat(own, borrowing));
  }

  private static <T> List<T> concat(List<T> first, List<T> second) {
    return Stream.concat(first.stream(), second.stream()).toList();
  }

  /**
   * Returns the level from which the queue must borrow: 0 if its own quota suffices, 1 if its
   * parent's quota does, and so on (Kueue's borrowing level).
   */
  private static int height(QuotaTree tree, QuotaNodeId queue, Map<QuotaCell, Long> asks) {
    return asks.entrySet().stream()
        .mapToInt(ask -> height(tree, queue, ask.getKey(), ask.getValue()))
        .max()
        .orElse(0);
  }

  private static int height(QuotaTree tree, QuotaNodeId queue, QuotaCell cell, long asked) {
    Subtrees subtrees = new Subtrees(tree);
    long rest = asked;
    int height = 0;
    for (QuotaNode node : tree.path(queue)) {
      if (!subtrees.borrows(node.id(), cell, rest)) {
        return height;
      }
      rest = Math.max(0, rest - subtrees.ownRoom(node.id(), cell));
      height++;
    }
    return height;
  }

  /**
   * Returns whether the job cannot start on the flavor now, but evictions could free quota that is
   * not borrowed.
   */
  private static boolean ownedAfterEvictions(
      QuotaTree tree, QuotaNodeId queue, Map<QuotaCell, Long> asks) {
    return asks.entrySet().stream()
            .anyMatch(cell -> cell.getValue() > tree.available(queue, cell.getKey()))
        && asks.entrySet().stream()
            .allMatch(cell -> cell.getValue() <= tree.nonPreemptibleRoom(queue, cell.getKey()));
  }

  /** Groups assignments of equal flavors, across clusters. */
  private static List<List<FlavorAssignment>> byFlavors(List<FlavorAssignment> assignments) {
    Map<List<Flavor>, List<FlavorAssignment>> steps = new LinkedHashMap<>();
    for (FlavorAssignment assignment : assignments) {
      List<Flavor> flavors = new ArrayList<>();
      for (int role = 0; role < assignment.models().size(); role++) {
        flavors.add(assignment.flavor(role));
      }
      steps.computeIfAbsent(flavors, f -> new ArrayList<>()).add(assignment);
    }
    return new ArrayList<>(steps.values());
  }
}
