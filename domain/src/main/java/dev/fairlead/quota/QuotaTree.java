package dev.fairlead.quota;

import dev.fairlead.resources.Flavor;
import dev.fairlead.resources.Saturating;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic of hierarchical quota (the rules of Kueue's {@code resource_node.go}): what a node
 * does not lend is its own; the rest flows to its parent, which it may borrow from up to its limit.
 * Use of a node that exceeds its own part counts in its parent.
 *
 * <p>Non-preemptible use is that of jobs that are never evicted. It counts as all use does, and
 * besides against the nominal quota of one node alone, its {@link #bearer}: it is never borrowed,
 * since whoever lent it could not have it back.
 *
 * <p>Where the platform limits its tenants, their trees stand beside a tree of the fleet ({@link
 * FleetQuota}). What a queue uses counts in both, and both have to have room; what a tenant gives
 * itself adds nothing to what the fleet has.
 *
 * <p>Immutable configuration, mutable use; not for several threads.
 */
public final class QuotaTree {
  private final SortedMap<QuotaNodeId, QuotaNode> nodes = new TreeMap<>();
  private final SortedMap<QuotaNodeId, List<QuotaNodeId>> children = new TreeMap<>();

  /** Whether the platform limits its tenants; then each has a node in the fleet's tree. */
  private final boolean fleetLimited;

  /**
   * The same with the limits of outside of windows; null where no limit has a window. By these it
   * follows what a node keeps to itself, and so where use counts: the counters hold at all times.
   */
  private final @Nullable QuotaTree outside;

  /** Nodes whose path does not reach a node without a parent. */
  private final SortedSet<QuotaNodeId> cutOff = new TreeSet<>();

  private final SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> used = new TreeMap<>();
  private final SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> subtree = new TreeMap<>();
  private final SortedMap<QuotaNodeId, SortedMap<QuotaCell, Long>> nonPreemptible = new TreeMap<>();

  /** With limits as they are outside of windows: by these use is counted. */
  public QuotaTree(Collection<QuotaNode> all, Collection<QuotaUse> uses) {
    this(all, uses, null);
  }

  private QuotaTree(
      Collection<QuotaNode> all, Collection<QuotaUse> uses, @Nullable QuotaTree outside) {
    this.outside = outside;
    for (QuotaNode node : all) {
      nodes.put(node.id(), node);
    }
    for (QuotaNode node : nodes.values()) {
      if (node.parent() != null && nodes.containsKey(node.parent())) {
        children.computeIfAbsent(node.parent(), p -> new ArrayList<>()).add(node.id());
      }
    }
    fleetLimited = nodes.values().stream().anyMatch(QuotaNode::ofFleet);
    for (QuotaNode node : nodes.values()) {
      if (path(node.id()).getLast().parent() != null) {
        cutOff.add(node.id());
      }
    }
    for (QuotaUse use : uses) {
      used.computeIfAbsent(use.node(), n -> new TreeMap<>()).put(use.cell(), use.used());
      if (use.nonPreemptible() != 0) {
        nonPreemptible
            .computeIfAbsent(use.node(), n -> new TreeMap<>())
            .put(use.cell(), use.nonPreemptible());
      }
    }
  }

  /** With limits as their windows make them at that time. */
  public static QuotaTree at(Collection<QuotaNode> all, Collection<QuotaUse> uses, Instant now) {
    return limited(all, uses, limit -> limit.at(now));
  }

  /** With the largest limits that there are at any time, and no use. */
  public static QuotaTree largest(Collection<QuotaNode> all) {
    return limited(all, List.of(), QuotaLimit::largest);
  }

  /** With limits that evict as they are at all times, and others as they are at that time. */
  public static QuotaTree lasting(
      Collection<QuotaNode> all, Collection<QuotaUse> uses, Instant now) {
    return limited(
        all, uses, limit -> limit.evictLead() == null ? limit.at(now) : limit.smallest());
  }

  private static QuotaTree limited(
      Collection<QuotaNode> all, Collection<QuotaUse> uses, UnaryOperator<QuotaLimit> rule) {
    if (all.stream().noneMatch(QuotaNode::changesWithTime)) {
      return new QuotaTree(all, uses);
    }
    List<QuotaNode> limited = all.stream().map(node -> node.limited(rule)).toList();
    return new QuotaTree(limited, uses, new QuotaTree(all, List.of()));
  }

  /** The same limits with other use. */
  public QuotaTree with(Collection<QuotaUse> uses) {
    return new QuotaTree(nodes.values(), uses, outside);
  }

  /** The next time at which more may be used by the limit of a node. */
  public Optional<LimitChange> nextRise(QuotaNodeId id, QuotaCell cell, Instant now) {
    return written(id).flatMap(node -> limit(node, cell)).flatMap(limit -> limit.nextRise(now));
  }

  /** A node with the windows of its limits. */
  public Optional<QuotaNode> written(QuotaNodeId id) {
    return outside == null ? node(id) : outside.node(id);
  }

  /** A node with its limits as they are at the time of the tree. */
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

  /** The highest node above a queue; itself where it is not in the tree. */
  public QuotaNodeId root(QuotaNodeId queue) {
    List<QuotaNode> path = path(queue);
    return path.isEmpty() ? queue : path.getLast().id();
  }

  /**
   * The node of the fleet that bounds the tenant of a node; empty for a node of the fleet itself
   * and where the platform limits nothing. It may be missing in the tree: then nothing is admitted.
   */
  private Optional<QuotaNodeId> wall(QuotaNodeId id) {
    QuotaNode node = nodes.get(id);
    return !fleetLimited || node == null || node.ofFleet()
        ? Optional.empty()
        : Optional.of(FleetQuota.of(node.tenant()));
  }

  /** The tenant's node of the fleet and the root above it; empty where the platform limits none. */
  public List<QuotaNode> fleetPath(QuotaNodeId queue) {
    return wall(queue).map(this::path).orElse(List.of());
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
   * The part of the subtree's quota that is never lent, windows aside; an unlimited subtree keeps
   * to itself and lends nothing.
   */
  public long guaranteed(QuotaNodeId id, QuotaCell cell) {
    if (outside != null) {
      return outside.guaranteed(id, cell);
    }
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
    return Math.max(0, Saturating.minus(quota, guaranteed(id, cell)));
  }

  private @Nullable Long lendingLimit(QuotaNodeId id, QuotaCell cell) {
    QuotaNode node = nodes.get(id);
    return node == null ? null : limit(node, cell).map(QuotaLimit::lendingLimit).orElse(null);
  }

  /**
   * What can still be used at the node now, borrowing included, within what the platform leaves to
   * its tenant; negative when it is over. Nothing while a node above it is missing: its limits are
   * not known.
   */
  public long available(QuotaNodeId id, QuotaCell cell) {
    long own = availableInTree(id, cell);
    return wall(id).map(w -> Math.min(own, availableInTree(w, cell))).orElse(own);
  }

  /**
   * The same within the tree of the node alone: of its tenant or of the platform. What a tenant
   * reads of its own nodes, so that it learns nothing of what others use.
   */
  public long availableInTree(QuotaNodeId id, QuotaCell cell) {
    QuotaNode node = nodes.get(id);
    if (node == null) {
      return 0;
    }
    long usedHere = used(id, cell);
    if (cutOff.contains(id)) {
      return Math.min(0, Saturating.minus(subtreeQuota(id, cell), usedHere));
    }
    if (node.parent() == null) {
      return Saturating.minus(subtreeQuota(id, cell), usedHere);
    }
    long guaranteed = guaranteed(id, cell);
    if (subtreeQuota(id, cell) < guaranteed) {
      // a window took of what it keeps to itself: it has what is left, and nothing of others
      return Saturating.minus(subtreeQuota(id, cell), usedHere);
    }
    long own = Math.max(0, Saturating.minus(guaranteed, usedHere));
    long fromParent = availableInTree(node.parent(), cell);
    Long borrowing = limit(node, cell).map(QuotaLimit::borrowingLimit).orElse(null);
    if (borrowing != null) {
      long stored = Saturating.minus(subtreeQuota(id, cell), guaranteed);
      long usedThere = Math.max(0, Saturating.minus(usedHere, guaranteed));
      fromParent =
          Math.min(Saturating.plus(Saturating.minus(stored, usedThere), borrowing), fromParent);
    }
    return Saturating.plus(own, fromParent);
  }

  /**
   * Adds use at a queue; what exceeds a node's own part is counted in its parent. All of it counts
   * for the tenant in the fleet.
   */
  public void use(QuotaNodeId id, QuotaCell cell, long amount) {
    useInTree(id, cell, amount);
    wall(id).ifPresent(w -> useInTree(w, cell, amount));
  }

  private void useInTree(QuotaNodeId id, QuotaCell cell, long amount) {
    QuotaNode node = nodes.get(id);
    long own = Math.max(0, Saturating.minus(guaranteed(id, cell), used(id, cell)));
    set(id, cell, Saturating.plus(used(id, cell), amount));
    if (node != null && node.parent() != null && nodes.containsKey(node.parent()) && amount > own) {
      useInTree(node.parent(), cell, amount - own);
    }
  }

  /** Takes use away again: the exact inverse of {@link #use} for the same configuration. */
  public void free(QuotaNodeId id, QuotaCell cell, long amount) {
    freeInTree(id, cell, amount);
    wall(id).ifPresent(w -> freeInTree(w, cell, amount));
  }

  private void freeInTree(QuotaNodeId id, QuotaCell cell, long amount) {
    QuotaNode node = nodes.get(id);
    long inParent = Saturating.minus(used(id, cell), guaranteed(id, cell));
    set(id, cell, Saturating.minus(used(id, cell), amount));
    if (node != null && node.parent() != null && nodes.containsKey(node.parent()) && inParent > 0) {
      freeInTree(node.parent(), cell, Math.min(amount, inParent));
    }
  }

  /**
   * The node whose nominal quota bears the non-preemptible use of a queue: the queue, or where it
   * has no limits the next above that has. Empty where nothing is limited: there it is not counted.
   */
  public Optional<QuotaNode> bearer(QuotaNodeId queue) {
    return path(queue).stream().filter(n -> !n.limits().isEmpty()).findFirst();
  }

  /** What non-preemptible use counts at a node that bears it. */
  public long nonPreemptible(QuotaNodeId node, QuotaCell cell) {
    return nonPreemptible.getOrDefault(node, new TreeMap<>()).getOrDefault(cell, 0L);
  }

  /**
   * What non-preemptible jobs of the queue may still use, whatever is available; negative when it
   * is over.
   */
  public long nonPreemptibleRoom(QuotaNodeId queue, QuotaCell cell) {
    long own = nonPreemptibleRoomInTree(queue, cell);
    return wall(queue).map(w -> Math.min(own, nonPreemptibleRoomInTree(w, cell))).orElse(own);
  }

  /**
   * The bearer that leaves a queue the least room for non-preemptible jobs: its own, or that of the
   * fleet.
   */
  public Optional<QuotaNode> nonPreemptibleWall(QuotaNodeId queue, QuotaCell cell) {
    Optional<QuotaNodeId> wall = wall(queue);
    return wall.isPresent()
            && nonPreemptibleRoomInTree(wall.get(), cell) < nonPreemptibleRoomInTree(queue, cell)
        ? bearer(wall.get())
        : bearer(queue);
  }

  private long nonPreemptibleRoomInTree(QuotaNodeId queue, QuotaCell cell) {
    return bearer(queue)
        .map(n -> Saturating.minus(kept(n.id(), cell), nonPreemptible(n.id(), cell)))
        .orElse(Saturating.UNLIMITED);
  }

  /**
   * What jobs that are never evicted may have of a nominal quota: where a window evicts, what it
   * leaves at all times.
   */
  private long kept(QuotaNodeId id, QuotaCell cell) {
    return written(id)
        .flatMap(node -> limit(node, cell))
        .filter(limit -> limit.evictLead() != null)
        .map(QuotaLimit::smallest)
        .map(QuotaLimit::nominal)
        .map(least -> Math.min(least, nominal(id, cell)))
        .orElseGet(() -> nominal(id, cell));
  }

  /** Whether the queue may use so much more now, and for a non-preemptible job of nominal quota. */
  public boolean admits(QuotaNodeId queue, QuotaCell cell, long amount, boolean nonPreemptible) {
    return available(queue, cell) >= amount
        && (!nonPreemptible || nonPreemptibleRoom(queue, cell) >= amount);
  }

  /** As {@link #use(QuotaNodeId, QuotaCell, long)}, by a non-preemptible job or another. */
  public void use(QuotaNodeId queue, QuotaCell cell, long amount, boolean nonPreemptible) {
    use(queue, cell, amount);
    if (nonPreemptible) {
      addNonPreemptible(queue, cell, amount);
    }
  }

  /** As {@link #free(QuotaNodeId, QuotaCell, long)} of a non-preemptible job or another. */
  public void free(QuotaNodeId queue, QuotaCell cell, long amount, boolean nonPreemptible) {
    free(queue, cell, amount);
    if (nonPreemptible) {
      addNonPreemptible(queue, cell, -amount);
    }
  }

  /** Adds what jobs of a queue use, non-preemptible ones a part of it. */
  public void add(QuotaUse held) {
    use(held.node(), held.cell(), held.used());
    addNonPreemptible(held.node(), held.cell(), held.nonPreemptible());
  }

  private void addNonPreemptible(QuotaNodeId queue, QuotaCell cell, long amount) {
    addNonPreemptibleInTree(queue, cell, amount);
    wall(queue).ifPresent(w -> addNonPreemptibleInTree(w, cell, amount));
  }

  private void addNonPreemptibleInTree(QuotaNodeId queue, QuotaCell cell, long amount) {
    bearer(queue)
        .ifPresent(n ->
            nonPreemptible
                .computeIfAbsent(n.id(), id -> new TreeMap<>())
                .merge(cell, amount, Saturating::plus));
  }

  /** What a node uses beyond its subtree's quota. */
  public long borrowed(QuotaNodeId id, QuotaCell cell) {
    return Math.max(0, Saturating.minus(used(id, cell), subtreeQuota(id, cell)));
  }

  /**
   * The node on the queue's path that refuses the amount, the highest that does; the node of the
   * fleet when the tenant's own tree has room; null when it fits.
   */
  public @Nullable QuotaNode refusing(QuotaNodeId queue, QuotaCell cell, long amount) {
    if (available(queue, cell) >= amount) {
      return null;
    }
    QuotaNode refusing = nodes.get(queue);
    boolean ownRoom = availableInTree(queue, cell) >= amount;
    for (QuotaNode node : ownRoom ? fleetPath(queue) : path(queue)) {
      if (availableInTree(node.id(), cell) < amount) {
        refusing = node;
      }
    }
    return refusing;
  }

  /** All use, by node and cell. */
  public List<QuotaUse> uses() {
    List<QuotaUse> all = new ArrayList<>();
    for (Map.Entry<QuotaNodeId, SortedMap<QuotaCell, Long>> node : used.entrySet()) {
      node.getValue()
          .forEach((cell, amount) ->
              all.add(
                  new QuotaUse(node.getKey(), cell, amount, nonPreemptible(node.getKey(), cell))));
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
