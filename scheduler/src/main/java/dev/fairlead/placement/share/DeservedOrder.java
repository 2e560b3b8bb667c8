package dev.fairlead.placement.share;

import dev.fairlead.quota.QuotaCell;
import dev.fairlead.quota.QuotaLimit;
import dev.fairlead.quota.QuotaNode;
import dev.fairlead.quota.QuotaNodeId;
import dev.fairlead.quota.QuotaTree;
import dev.fairlead.quota.SharePolicy;
import dev.fairlead.resources.ResourceNames;
import dev.fairlead.resources.Saturating;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/**
 * How much a child of a group has of the GPUs that it deserves there: what the group could offer,
 * and the fleet has, is divided once by {@link DeservedShares} among what its children use and wait
 * for; then their use goes on.
 */
final class DeservedOrder {
  private static final double EPSILON = 1e-9;
  private static final double MILLI = 1000;

  private final QuotaTree tree;
  private final QuotaTree unused;
  private final SortedMap<QuotaNodeId, Long> asked = new TreeMap<>();
  private final double fleet;
  private final SortedSet<QuotaCell> gpus = new TreeSet<>();
  private final SortedMap<String, SortedSet<QuotaCell>> others = new TreeMap<>();
  private final SortedMap<QuotaNodeId, SortedMap<String, Double>> deserved = new TreeMap<>();

  /**
   * @param waiting thousandths of GPUs that jobs wait for, by queue
   * @param fleetGpus that there are
   */
  DeservedOrder(QuotaTree tree, SortedMap<QuotaNodeId, Long> waiting, long fleetGpus) {
    this.tree = tree;
    fleet = fleetGpus;
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
    waiting.forEach((queue, milli) -> {
      for (QuotaNode node : tree.path(queue)) {
        asked.merge(node.id(), milli, Saturating::plus);
      }
    });
    tree.nodes().forEach(this::divide);
  }

  /**
   * Its use of what it deserves in its group, or of what it owns where that is more than it asks
   * for; larger than any when it deserves and owns nothing.
   */
  Share of(QuotaNode node) {
    double used = used(node.id());
    if (used <= 0) {
      return Share.NOTHING;
    }
    long quota = sum(cell -> tree.subtreeQuota(node.id(), cell));
    double due = Math.max(due(node), quota == Saturating.UNLIMITED ? 0 : quota / MILLI);
    return due > 0
        ? new Share(used / due * MILLI, (long) MILLI, ResourceNames.GPU)
        : new Share(used * MILLI, 0, ResourceNames.GPU);
  }

  /** The largest part, over resources beside GPUs, that it uses of what its group could offer. */
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

  /** Whether it uses more than it deserves. */
  boolean above(QuotaNode node) {
    return used(node.id()) > due(node) + EPSILON;
  }

  private double due(QuotaNode node) {
    SortedMap<String, Double> group = node.parent() == null ? null : deserved.get(node.parent());
    return group == null ? 0 : group.getOrDefault(node.id().toString(), 0.0);
  }

  /** From the root downwards: what a group deserves in its own group is what it divides. */
  private void divide(QuotaNode group) {
    if (group.share() != SharePolicy.DESERVED_SHARE || deserved.containsKey(group.id())) {
      return;
    }
    Optional<QuotaNode> above = Optional.ofNullable(group.parent()).flatMap(tree::node);
    above.ifPresent(this::divide);
    List<Claim> claims = new ArrayList<>();
    for (QuotaNode node : tree.nodes()) {
      if (group.id().equals(node.parent())) {
        claims.add(claim(node, claims.size()));
      }
    }
    long offered = sum(cell -> unused.available(group.id(), cell));
    double total =
        offered == Saturating.UNLIMITED ? fleet : Math.min(fleet, Math.max(0, offered) / MILLI);
    boolean divided = above.isPresent() && deserved.containsKey(above.get().id());
    deserved.put(
        group.id(), DeservedShares.divide(divided ? Math.min(total, due(group)) : total, claims));
  }

  private Claim claim(QuotaNode node, int number) {
    long quota = sum(cell -> tree.subtreeQuota(node.id(), cell));
    double wanted = used(node.id()) + asked.getOrDefault(node.id(), 0L) / MILLI;
    return new Claim(
        node.id().toString(),
        null,
        number,
        0,
        quota == Saturating.UNLIMITED ? Claim.UNLIMITED : quota / MILLI,
        Claim.UNLIMITED,
        node.weight() / MILLI,
        wanted);
  }

  private double used(QuotaNodeId node) {
    return sum(cell -> tree.used(node, cell)) / MILLI;
  }

  private long sum(ToLongFunction<QuotaCell> amount) {
    return sum(gpus, amount);
  }

  private static long sum(SortedSet<QuotaCell> cells, ToLongFunction<QuotaCell> amount) {
    long sum = 0;
    for (QuotaCell cell : cells) {
      sum = Saturating.plus(sum, amount.applyAsLong(cell));
    }
    return sum;
  }
}
