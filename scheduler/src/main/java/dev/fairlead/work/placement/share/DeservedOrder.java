package dev.fairlead.work.placement.share;

import dev.fairlead.fleet.quota.QuotaCell;
import dev.fairlead.fleet.quota.QuotaLimit;
import dev.fairlead.fleet.quota.QuotaNode;
import dev.fairlead.fleet.quota.QuotaNodeId;
import dev.fairlead.fleet.quota.QuotaTree;
import dev.fairlead.fleet.quota.SharePolicy;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.ResourceNames;
import dev.fairlead.kernel.resources.Saturating;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/**
 * Deserved shares of the children of each group, computed for each GPU flavor separately. The
 * amount of the flavor that the group could offer and that the fleet has is divided once by {@link
 * DeservedShares} among the children that use or want it. Unused GPUs of another flavor do not help
 * a child that waits for this one.
 */
final class DeservedOrder {
  private static final double EPSILON = 1e-9;
  private static final double MILLI = 1000;

  private final QuotaTree tree;
  private final QuotaTree unused;
  private final ToLongFunction<Flavor> fleet;
  private final SortedSet<QuotaCell> gpus = new TreeSet<>();
  private final SortedMap<String, SortedSet<QuotaCell>> others = new TreeMap<>();
  private final SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> asked = new TreeMap<>();
  private final SortedMap<QuotaNodeId, SortedMap<QuotaCell, SortedMap<String, Double>>> deserved =
      new TreeMap<>();

  /**
   * @param waiting thousandths of GPUs requested by waiting jobs, by queue and cell
   * @param fleet GPUs of a flavor in the fleet
   */
  DeservedOrder(
      QuotaTree tree,
      SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> waiting,
      ToLongFunction<Flavor> fleet) {
    this.tree = tree;
    this.fleet = fleet;
    unused = tree.with(List.of());
    for (QuotaNode node : tree.nodes()) {
      for (QuotaLimit limit : node.limits()) {
        QuotaCell cell = new QuotaCell(limit.flavor(), limit.resource());
        if (limit.resource().equals(ResourceNames.GPU)) {
          gpus.add(cell);
        } else {
          others.computeIfAbsent(limit.resource(), r -> new TreeSet<>()).add(cell);
        }
      }
    }
    waiting.forEach((queue, cells) -> {
      for (QuotaNode node : tree.path(queue)) {
        SortedMap<QuotaCell, Long> sums = asked.computeIfAbsent(node.id(), n -> new TreeMap<>());
        cells.forEach((cell, milli) -> sums.merge(cell, milli, Saturating::plus));
      }
    });
    tree.nodes().forEach(this::divide);
  }

  /**
   * Returns the ratio of a node's used GPUs to its deserved GPUs, or to its owned GPUs if that is
   * more. The result is the largest ratio over the GPU flavors of a job. Infinite if the node uses
   * a flavor without deserving or owning some.
   *
   * @param contended cells of the job, where all flavors count if it has no GPU cells
   */
  Share of(QuotaNode node, Collection<QuotaCell> contended) {
    Share largest = Share.NOTHING;
    for (QuotaCell cell : flavors(contended)) {
      double used = used(node.id(), cell);
      if (used > 0) {
        long quota = tree.subtreeQuota(node.id(), cell);
        double due = Math.max(due(node, cell), quota == Saturating.UNLIMITED ? 0 : quota / MILLI);
        Share share =
            due > 0
                ? new Share(used / due * MILLI, (long) MILLI, ResourceNames.GPU)
                : new Share(used * MILLI, 0, ResourceNames.GPU);
        largest = share.compareTo(largest) > 0 ? share : largest;
      }
    }
    return largest;
  }

  /**
   * Returns the largest fraction, over resources except GPUs, of the group's possible offer that a
   * node uses.
   */
  Share besideGpus(QuotaNode node) {
    QuotaNodeId group = node.parent();
    Share largest = Share.NOTHING;
    for (Map.Entry<String, SortedSet<QuotaCell>> each : others.entrySet()) {
      long offered =
          sum(each.getValue(), cell -> group == null ? 0 : unused.available(group, cell));
      long used = sum(each.getValue(), cell -> tree.used(node.id(), cell));
      if (used > 0 && offered > 0 && offered != Saturating.UNLIMITED) {
        Share share = new Share(used / (double) offered * MILLI, (long) MILLI, each.getKey());
        largest = share.compareTo(largest) > 0 ? share : largest;
      }
    }
    return largest;
  }

  /**
   * Returns whether a node uses more than its deserved amount of any flavor.
   *
   * @param contended as for {@link #of}
   */
  boolean above(QuotaNode node, Collection<QuotaCell> contended) {
    return flavors(contended).stream()
        .anyMatch(cell -> used(node.id(), cell) > due(node, cell) + EPSILON);
  }

  private SortedSet<QuotaCell> flavors(Collection<QuotaCell> contended) {
    SortedSet<QuotaCell> flavors = new TreeSet<>(contended);
    flavors.removeIf(cell -> !cell.resource().equals(ResourceNames.GPU));
    if (flavors.isEmpty()) {
      return gpus;
    }
    flavors.retainAll(gpus);
    return flavors;
  }

  private double due(QuotaNode node, QuotaCell cell) {
    return node.parent() == null
        ? 0
        : deserved
            .getOrDefault(node.parent(), Collections.emptySortedMap())
            .getOrDefault(cell, Collections.emptySortedMap())
            .getOrDefault(node.id().toString(), 0.0);
  }

  /**
   * Divides from the root downwards. A group divides the share that it deserves in its parent
   * group.
   */
  private void divide(QuotaNode group) {
    if (group.share() != SharePolicy.DESERVED_SHARE || deserved.containsKey(group.id())) {
      return;
    }
    Optional<QuotaNode> above = Optional.ofNullable(group.parent()).flatMap(tree::node);
    above.ifPresent(this::divide);
    boolean divided = above.isPresent() && deserved.containsKey(above.get().id());
    List<QuotaNode> children =
        tree.nodes().stream().filter(node -> group.id().equals(node.parent())).toList();
    SortedMap<QuotaCell, SortedMap<String, Double>> shares = new TreeMap<>();
    for (QuotaCell cell : gpus) {
      List<Claim> claims = new ArrayList<>();
      children.forEach(child -> claims.add(claim(child, cell, claims.size())));
      if (claims.stream().anyMatch(claim -> claim.request() > 0)) {
        double total = total(group, cell);
        double part = divided ? Math.min(total, due(group, cell)) : total;
        shares.put(cell, DeservedShares.divide(part, claims));
      }
    }
    deserved.put(group.id(), shares);
  }

  private double total(QuotaNode group, QuotaCell cell) {
    double existing = fleet.applyAsLong(cell.flavor());
    long offered = unused.available(group.id(), cell);
    return offered == Saturating.UNLIMITED
        ? existing
        : Math.min(existing, Math.max(0, offered) / MILLI);
  }

  private Claim claim(QuotaNode node, QuotaCell cell, int number) {
    long quota = tree.subtreeQuota(node.id(), cell);
    long waiting =
        asked.getOrDefault(node.id(), Collections.emptySortedMap()).getOrDefault(cell, 0L);
    return ClaimBuilder.builder()
        .name(node.id().toString())
        .parent(null)
        .created(number)
        .priority(0)
        .quota(quota == Saturating.UNLIMITED ? Claim.UNLIMITED : quota / MILLI)
        .limit(Claim.UNLIMITED)
        .weight(node.weight() / MILLI)
        .request(used(node.id(), cell) + waiting / MILLI)
        .build();
  }

  private double used(QuotaNodeId node, QuotaCell cell) {
    return tree.used(node, cell) / MILLI;
  }

  private static long sum(SortedSet<QuotaCell> cells, ToLongFunction<QuotaCell> amount) {
    long sum = 0;
    for (QuotaCell cell : cells) {
      sum = Saturating.plus(sum, amount.applyAsLong(cell));
    }
    return sum;
  }
}
