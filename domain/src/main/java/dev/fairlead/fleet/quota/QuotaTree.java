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
 * The arithmetic of hierarchical quota (the rules of Kueue's {@code resource_node.go}). A node
 * retains the quota that it does not lend. The rest goes to its parent, from which the node may
 * borrow up to its limit. Use of a node beyond its own part counts in its parent.
 *
 * <p>Non-preemptible use is the use of jobs that are never evicted. In addition to the usual
 * counts, it counts against the nominal quota of one node, its {@link #bearer}. Non-preemptible use
 * is never borrowed, because the lender could not reclaim it.
 *
 * <p>If the platform limits its tenants, a tree of the fleet ({@link FleetQuota}) exists in
 * addition to their trees. Use of a queue counts in both, and both must have enough. Quota that a
 * tenant assigns to itself adds nothing to the fleet.
 *
 * <p>Configuration is immutable and use is mutable. Not thread-safe.
 */
public final class QuotaTree {
  private final SortedMap<QuotaNodeId, QuotaNode> nodes = new TreeMap<>();
  private final SortedMap<QuotaNodeId, Place> places = new TreeMap<>();

  /** Whether the platform limits its tenants, so each has a node in the fleet's tree. */
  private final boolean fleetLimited;

  /**
   * The tree with the limits outside windows, null if no limit has a window. It determines which
   * part a node never lends, and therefore where use counts, because the counters must be valid at
   * all times.
   */
  private final @Nullable QuotaTree outside;

  /** A counting point for use: a node, or an id without a node that has only use. */
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
   * The amounts of one cell at a node that follow from its limits. They do not depend on use, and a
   * plan reads them at each step of each path, so they are computed once.
   */
  private record Part(long quota, long guaranteed, long lent, @Nullable Long borrowing) {}

  /** Creates a tree with the limits outside windows, which are the basis of counting use. */
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

  /** Returns a tree with the limits of the windows at that time. */
  public static QuotaTree at(Collection<QuotaNode> all, Collection<QuotaUse> uses, Instant now) {
    return limited(all, uses, limit -> limit.at(now));
  }

  /** Returns a tree with the largest limits at any time, without use. */
  public static QuotaTree largest(Collection<QuotaNode> all) {
    return limited(all, List.of(), QuotaLimit::largest);
  }

  /** Returns a tree with the smallest amounts of evicting limits, and other limits at that time. */
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

  /** Returns the same limits with other use. */
  public QuotaTree with(Collection<QuotaUse> uses) {
    return new QuotaTree(nodes.values(), uses, outside);
  }

  /** Returns the next time when the limit of a node permits more use. */
  public Optional<LimitChange> nextRise(QuotaNodeId id, QuotaCell cell, Instant now) {
    return written(id).flatMap(node -> limit(node, cell)).flatMap(limit -> limit.nextRise(now));
  }

  /** Returns a node with the windows of its limits. */
  public Optional<QuotaNode> written(QuotaNodeId id) {
    return outside == null ? node(id) : outside.node(id);
  }

  /** Returns a node with its limits at the time of the tree. */
  public Optional<QuotaNode> node(QuotaNodeId id) {
    return Optional.ofNullable(nodes.get(id));
  }

  public Collection<QuotaNode> nodes() {
    return nodes.values();
  }

  /** Returns the queue and its ancestors, queue first, up to a parent that is missing. */
  public List<QuotaNode> path(QuotaNodeId queue) {
    List<QuotaNode> path = new ArrayList<>();
    QuotaNode node = nodes.get(queue);
    while (node != null && path.size() <= nodes.size()) {
      path.add(node);
      node = node.parent() == null ? null : nodes.get(node.parent());
    }
    return path;
  }

  /** Returns the highest node above a queue, or the queue if it is not in the tree. */
  public QuotaNodeId root(QuotaNodeId queue) {
    List<QuotaNode> path = path(queue);
    return path.isEmpty() ? queue : path.getLast().id();
  }

  /**
   * Returns the fleet node that limits the tenant of a node. The result is empty for a fleet node,
   * and if the platform limits nothing. The returned node may be missing in the tree, in which case
   * nothing is admitted.
   */
  private Optional<QuotaNodeId> enclosing(QuotaNodeId id) {
    QuotaNode node = nodes.get(id);
    return !fleetLimited || node == null || node.ofFleet()
        ? Optional.empty()
        : Optional.of(FleetQuota.of(node.tenant()));
  }

  /** Returns the tenant's fleet node and the root, empty if the platform limits no tenant. */
  public List<QuotaNode> fleetPath(QuotaNodeId queue) {
    return enclosing(queue).map(this::path).orElse(List.of());
  }

  public long used(QuotaNodeId node, QuotaCell cell) {
    Place place = places.get(node);
    return place == null ? 0 : place.used(cell);
  }

  /**
   * Returns the node's own quota, which is zero for a flavor without an entry. It is unlimited if
   * its nominal is absent, for a resource without an entry if its flavor has another entry, and for
   * a leaf without limits below ancestors without limits. Any other node without limits owns
   * nothing and can only borrow.
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

  /** Returns the subtree's quota: its nominal quota and the quota lent by its children. */
  public long subtreeQuota(QuotaNodeId id, QuotaCell cell) {
    return part(place(id), cell).quota();
  }

  /**
   * Returns the part of the subtree's quota that is never lent, ignoring windows. An unlimited
   * subtree lends nothing.
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
   * Returns the amount that the node can still use now, including borrowing and within the
   * platform's limit for its tenant, negative if it is over its limit. Zero or less while a node
   * above it is missing, because its limits are unknown.
   */
  public long available(QuotaNodeId id, QuotaCell cell) {
    long own = availableInTree(id, cell);
    return enclosing(id).map(w -> Math.min(own, availableInTree(w, cell))).orElse(own);
  }

  /**
   * Returns the same amount within only the tree of the node, of its tenant or of the platform.
   * Tenants read this amount for their nodes, so that it reveals nothing about the use of other
   * tenants.
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
    /* A window may reduce the quota below the guaranteed part. Then only the rest is available. */
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
   * Adds use at a queue. Use beyond a node's own part counts in its parent. Counts in full for the
   * tenant in the fleet.
   */
  public void use(QuotaNodeId id, QuotaCell cell, long amount) {
    useInTree(place(id), cell, amount);
    enclosing(id).ifPresent(w -> useInTree(place(w), cell, amount));
  }

  private void useInTree(Place place, QuotaCell cell, long amount) {
    long used = place.used(cell);
    long own = Math.max(0, Saturating.minus(part(place, cell).guaranteed(), used));
    place.used.put(cell, Saturating.plus(used, amount));
    if (place.parent != null && amount > own) {
      useInTree(place.parent, cell, amount - own);
    }
  }

  /** Removes use. Frees the use: the exact inverse of {@link #use} for the same configuration. */
  public void free(QuotaNodeId id, QuotaCell cell, long amount) {
    freeInTree(place(id), cell, amount);
    enclosing(id).ifPresent(w -> freeInTree(place(w), cell, amount));
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
   * Returns the node that bears the non-preemptible use of a queue with its nominal quota: the
   * queue, or if it has no limits the next node above that has. The result is empty if the platform
   * sets no limits, because the use is then not counted.
   */
  public Optional<QuotaNode> bearer(QuotaNodeId queue) {
    return path(queue).stream().filter(n -> !n.limits().isEmpty()).findFirst();
  }

  /** Returns the non-preemptible use that a bearing node counts. */
  public long nonPreemptible(QuotaNodeId node, QuotaCell cell) {
    return place(node).nonPreemptible.getOrDefault(cell, 0L);
  }

  /**
   * Returns the amount that non-preemptible jobs of the queue may still use, regardless of
   * availability, negative if it is over its limit.
   */
  public long nonPreemptibleRoom(QuotaNodeId queue, QuotaCell cell) {
    long own = nonPreemptibleRoomInTree(queue, cell);
    return enclosing(queue).map(w -> Math.min(own, nonPreemptibleRoomInTree(w, cell))).orElse(own);
  }

  /**
   * Returns the bearer, of the queue or of the fleet, with the least remaining non-preemptible
   * quota.
   */
  public Optional<QuotaNode> nonPreemptibleLimit(QuotaNodeId queue, QuotaCell cell) {
    Optional<QuotaNodeId> enclosing = enclosing(queue);
    return enclosing.isPresent()
            && nonPreemptibleRoomInTree(enclosing.get(), cell)
                < nonPreemptibleRoomInTree(queue, cell)
        ? bearer(enclosing.get())
        : bearer(queue);
  }

  private long nonPreemptibleRoomInTree(QuotaNodeId queue, QuotaCell cell) {
    return bearer(queue)
        .map(n -> Saturating.minus(kept(n.id(), cell), nonPreemptible(n.id(), cell)))
        .orElse(Saturating.UNLIMITED);
  }

  /**
   * Returns the nominal quota that non-preemptible jobs may use. If a window evicts, it is the
   * smallest amount at any time.
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

  /** Returns whether the queue may use more, for a non-preemptible job from nominal quota. */
  public boolean admits(QuotaNodeId queue, QuotaCell cell, long amount, boolean nonPreemptible) {
    return available(queue, cell) >= amount
        && (!nonPreemptible || nonPreemptibleRoom(queue, cell) >= amount);
  }

  /** Adds use like {@link #use(QuotaNodeId, QuotaCell, long)}, also if not preemptible. */
  public void use(QuotaNodeId queue, QuotaCell cell, long amount, boolean nonPreemptible) {
    use(queue, cell, amount);
    if (nonPreemptible) {
      addNonPreemptible(queue, cell, amount);
    }
  }

  /** Removes use like {@link #free(QuotaNodeId, QuotaCell, long)}, also if not preemptible. */
  public void free(QuotaNodeId queue, QuotaCell cell, long amount, boolean nonPreemptible) {
    free(queue, cell, amount);
    if (nonPreemptible) {
      addNonPreemptible(queue, cell, -amount);
    }
  }

  /** Adds the use of a queue's jobs, including non-preemptible jobs. */
  public void add(QuotaUse held) {
    use(held.node(), held.cell(), held.used());
    addNonPreemptible(held.node(), held.cell(), held.nonPreemptible());
  }

  private void addNonPreemptible(QuotaNodeId queue, QuotaCell cell, long amount) {
    addNonPreemptibleInTree(queue, cell, amount);
    enclosing(queue).ifPresent(w -> addNonPreemptibleInTree(w, cell, amount));
  }

  private void addNonPreemptibleInTree(QuotaNodeId queue, QuotaCell cell, long amount) {
    bearer(queue)
        .ifPresent(n -> place(n.id()).nonPreemptible.merge(cell, amount, Saturating::plus));
  }

  /** Returns the use of a node beyond its subtree's quota. */
  public long borrowed(QuotaNodeId id, QuotaCell cell) {
    return Math.max(0, Saturating.minus(used(id, cell), subtreeQuota(id, cell)));
  }

  /**
   * Returns the highest node on the queue's path that refuses the amount. Returns the fleet node if
   * the tenant's own tree has enough, and null if the amount fits.
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

  /** Returns all use, by node and cell. */
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
   * A node that limits GPUs of a flavor limits the CPU and memory of that flavor only with separate
   * entries.
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
