package dev.fairlead.fleet.quota;

import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.kernel.resources.Saturating;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
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
  private final SortedMap<QuotaNodeId, Place> places = new TreeMap<>();

  /** Whether the platform limits its tenants; then each has a node in the fleet's tree. */
  private final boolean fleetLimited;

  /**
   * The same with the limits of outside of windows; null where no limit has a window. By these it
   * follows what a node keeps to itself, and so where use counts: the counters hold at all times.
   */
  private final @Nullable QuotaTree outside;

  /** Where use counts: a node, or one that is not in the tree and has nothing but its use. */
  private static final class Place {
    private final @Nullable QuotaNode node;
    private final List<Place> children = new ArrayList<>();
    private final SortedMap<QuotaCell, Part> parts = new TreeMap<>();
    private final SortedMap<QuotaCell, Long> used = new TreeMap<>();
    private final SortedMap<QuotaCell, Long> nonPreemptible = new TreeMap<>();
    private @Nullable Place parent;

    /** Whether its path does not reach a node without a parent. */
    private boolean cutOff;

    Place(@Nullable QuotaNode node) {
      this.node = node;
    }

    long used(QuotaCell cell) {
      return used.getOrDefault(cell, 0L);
    }
  }

  /**
   * What the limits make of one cell at a node. Use changes nothing of it, and a plan asks for it
   * at each step of each path, so it is worked out once.
   */
  private record Part(long quota, long guaranteed, long lent, @Nullable Long borrowing) {}

  /** With limits as they are outside of windows: by these use is counted. */
  public QuotaTree(Collection<QuotaNode> all, Collection<QuotaUse> uses) {
    this(all, uses, null);
  }

  private QuotaTree(
      Collection<QuotaNode> all, Collection<QuotaUse> uses, @Nullable QuotaTree outside) {
    this.outside = outside;
    for (QuotaNode node : all) {
      nodes.put(node.id(), node);
      places.put(node.id(), new Place(node));
    }
    fleetLimited = nodes.values().stream().anyMatch(QuotaNode::ofFleet);
    for (QuotaNode node : nodes.values()) {
      Place place = place(node.id());
      place.cutOff = path(node.id()).getLast().parent() != null;
      place.parent = node.parent() == null ? null : places.get(node.parent());
      if (place.parent != null) {
        place.parent.children.add(place);
      }
    }
    for (QuotaUse use : uses) {
      Place place = place(use.node());
      place.used.put(use.cell(), use.used());
      if (use.nonPreemptible() != 0) {
        place.nonPreemptible.put(use.cell(), use.nonPreemptible());
      }
    }
  }

  private Place place(QuotaNodeId id) {
    return places.computeIfAbsent(id, unknown -> new Place(null));
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
    Place place = places.get(node);
    return place == null ? 0 : place.used(cell);
  }

  /**
   * What the node itself is given: nothing of a flavor without an entry. Unlimited where its
   * nominal is absent, for a resource without an entry of a flavor that has one, and for a leaf
   * without limits below ancestors without limits; any other node without limits has nothing of its
   * own and lives on what it may borrow.
   */
  public long nominal(QuotaNodeId id, QuotaCell cell) {
    return nominal(place(id), cell);
  }

  private long nominal(Place place, QuotaCell cell) {
    QuotaNode node = place.node;
    if (node == null) {
      return 0;
    }
    if (node.limits().isEmpty()) {
      return place.children.isEmpty() && !limitedAbove(node) ? Saturating.UNLIMITED : 0;
    }
    long unnamed = namesFlavor(node, cell.flavor()) ? Saturating.UNLIMITED : 0;
    return limit(node, cell)
        .map(l -> l.nominal() == null ? Saturating.UNLIMITED : l.nominal())
        .orElse(unnamed);
  }

  /** What the subtree owns: its nominal and what its children lend to it. */
  public long subtreeQuota(QuotaNodeId id, QuotaCell cell) {
    return part(place(id), cell).quota();
  }

  /**
   * The part of the subtree's quota that is never lent, windows aside; an unlimited subtree keeps
   * to itself and lends nothing.
   */
  public long guaranteed(QuotaNodeId id, QuotaCell cell) {
    return part(place(id), cell).guaranteed();
  }

  private Part part(Place place, QuotaCell cell) {
    Part part = place.parts.get(cell);
    if (part == null) {
      part = newPart(place, cell);
      place.parts.put(cell, part);
    }
    return part;
  }

  private Part newPart(Place place, QuotaCell cell) {
    long quota = nominal(place, cell);
    for (Place child : place.children) {
      quota = Saturating.plus(quota, part(child, cell).lent());
    }
    Optional<QuotaLimit> limit = Optional.ofNullable(place.node).flatMap(node -> limit(node, cell));
    Long lending = limit.map(QuotaLimit::lendingLimit).orElse(null);
    long guaranteed =
        outside == null || place.node == null
            ? unlent(quota, lending)
            : outside.guaranteed(place.node.id(), cell);
    return new Part(
        quota,
        guaranteed,
        lent(quota, guaranteed, lending),
        limit.map(QuotaLimit::borrowingLimit).orElse(null));
  }

  private static long unlent(long quota, @Nullable Long lending) {
    if (lending == null) {
      return quota == Saturating.UNLIMITED ? Saturating.UNLIMITED : 0;
    }
    return Math.max(0, Saturating.minus(quota, lending));
  }

  private static long lent(long quota, long guaranteed, @Nullable Long lending) {
    if (quota == Saturating.UNLIMITED) {
      return lending == null ? 0 : lending;
    }
    return Math.max(0, Saturating.minus(quota, guaranteed));
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
    Place place = places.get(id);
    return place == null || place.node == null ? 0 : available(place, cell);
  }

  private long available(Place place, QuotaCell cell) {
    Part part = part(place, cell);
    long used = place.used(cell);
    long left = Saturating.minus(part.quota(), used);
    if (place.cutOff) {
      return Math.min(0, left);
    }
    // a window may take of what a node keeps to itself: it has what is left, and nothing of others
    if (place.parent == null || part.quota() < part.guaranteed()) {
      return left;
    }
    long own = Math.max(0, Saturating.minus(part.guaranteed(), used));
    long fromParent = available(place.parent, cell);
    if (part.borrowing() != null) {
      long stored = Saturating.minus(part.quota(), part.guaranteed());
      long usedThere = Math.max(0, Saturating.minus(used, part.guaranteed()));
      fromParent =
          Math.min(
              Saturating.plus(Saturating.minus(stored, usedThere), part.borrowing()), fromParent);
    }
    return Saturating.plus(own, fromParent);
  }

  /**
   * Adds use at a queue; what exceeds a node's own part is counted in its parent. All of it counts
   * for the tenant in the fleet.
   */
  public void use(QuotaNodeId id, QuotaCell cell, long amount) {
    useInTree(place(id), cell, amount);
    wall(id).ifPresent(w -> useInTree(place(w), cell, amount));
  }

  private void useInTree(Place place, QuotaCell cell, long amount) {
    long used = place.used(cell);
    long own = Math.max(0, Saturating.minus(part(place, cell).guaranteed(), used));
    place.used.put(cell, Saturating.plus(used, amount));
    if (place.parent != null && amount > own) {
      useInTree(place.parent, cell, amount - own);
    }
  }

  /** Takes use away again: the exact inverse of {@link #use} for the same configuration. */
  public void free(QuotaNodeId id, QuotaCell cell, long amount) {
    freeInTree(place(id), cell, amount);
    wall(id).ifPresent(w -> freeInTree(place(w), cell, amount));
  }

  private void freeInTree(Place place, QuotaCell cell, long amount) {
    long used = place.used(cell);
    long inParent = Saturating.minus(used, part(place, cell).guaranteed());
    place.used.put(cell, Saturating.minus(used, amount));
    if (place.parent != null && inParent > 0) {
      freeInTree(place.parent, cell, Math.min(amount, inParent));
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
    return place(node).nonPreemptible.getOrDefault(cell, 0L);
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
        .ifPresent(n -> place(n.id()).nonPreemptible.merge(cell, amount, Saturating::plus));
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
    places.forEach((id, place) ->
        place.used.forEach(
            (cell, amount) -> all.add(new QuotaUse(id, cell, amount, nonPreemptible(id, cell)))));
    return all;
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
