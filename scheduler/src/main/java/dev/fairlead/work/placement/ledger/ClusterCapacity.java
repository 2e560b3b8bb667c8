package dev.fairlead.work.placement.ledger;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.window.Opening;
import dev.fairlead.kernel.resources.Flavor;
import dev.fairlead.work.placement.filter.Filters;
import dev.fairlead.work.placement.node.NeighbourCounts;
import dev.fairlead.work.placement.node.NodeCapacity;
import dev.fairlead.work.placement.shape.BookedNodes;
import dev.fairlead.work.placement.shape.MemberShape;
import dev.fairlead.work.placement.topology.Levels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Free capacity in this cycle of one part of a cluster: its nodes of one pool, or of none, and of
 * one capacity type. A gang runs inside one part.
 */
public final class ClusterCapacity {
  private final NeighbourCounts neighbours;
  private final ClusterPart part;
  private final boolean whole;
  private final Cluster cluster;
  private final Levels levels;
  private final List<NodeCapacity> capacities = new ArrayList<>();
  private final NodeChangeLog changes = new NodeChangeLog();
  private @Nullable NodeChoice choice;
  private final SortedMap<String, NodesOfModel> models = new TreeMap<>();
  private final FilterCache filters;
  private final CapacityColumns columns;
  private @Nullable Admitting last;
  private final FitCounter.@Nullable Past past;
  private @Nullable FitCounter counter;
  private @Nullable Summarized summarized;
  private int sparesFrom = -1;
  private @Nullable OpenSpan span;

  /** The current opening of the pool's windows in a time span, null if none. */
  private record OpenSpan(Instant from, @Nullable Instant until, @Nullable Opening open) {
    boolean holds(Instant at) {
      return !at.isBefore(from) && (until == null || at.isBefore(until));
    }
  }

  /**
   * @param cluster with the capacity type of the part
   * @param whole whether all nodes of the cluster are in this part
   * @param nodes nodes of this part, by name and without duplicates
   * @param neighbours members of the whole fleet
   * @param before cache of the last cycle, null if none
   */
  ClusterCapacity(
      Cluster cluster,
      ClusterPart part,
      boolean whole,
      List<Node> nodes,
      NeighbourCounts neighbours,
      @Nullable ClusterCycleCache before) {
    this.neighbours = neighbours;
    this.part = part;
    this.whole = whole;
    this.cluster = cluster;
    filters = new FilterCache(cluster, nodes, before == null ? null : before.filters());
    past = before == null ? null : before.past();
    levels =
        before == null
            ? new Levels(cluster, nodes)
            : before.levels().with(cluster, before.filters().nodes(), nodes);
    for (Node node : nodes) {
      boolean open = Filters.standing(cluster, node);
      NodeCapacity capacity =
          new NodeCapacity(
              cluster,
              node,
              capacities.size(),
              levels.domains(capacities.size()),
              open,
              neighbours);
      capacities.add(capacity);
      models.computeIfAbsent(node.gpuModel(), m -> new NodesOfModel()).add(capacity);
    }
    columns = new CapacityColumns(capacities);
    columns.listen(changes::add);
    capacities.forEach(capacity -> capacity.listen(columns));
  }

  /** Sets how single members are placed. Without a choice they go to the fullest node. */
  public void chooseBy(NodeChoice by) {
    choice = by;
    changes.open();
  }

  /** Returns how single members are placed, null for the fullest node. */
  public @Nullable NodeChoice choice() {
    return choice;
  }

  public NodeChangeLog changes() {
    return changes;
  }

  public Cluster cluster() {
    return cluster;
  }

  public String name() {
    return cluster.name();
  }

  public ClusterPart part() {
    return part;
  }

  /** Returns whether all nodes of the cluster are in this part. */
  public boolean whole() {
    return whole;
  }

  /** Returns the pool of all its nodes, null if none. */
  public @Nullable NodePool pool() {
    return part.pool();
  }

  /**
   * Returns the pool's current opening at that time, beginning at that time. The result is null if
   * the pool is closed or has no windows. The result is cached until the next change.
   */
  public @Nullable Opening opening(Instant at) {
    NodePool pool = part.pool();
    if (pool == null || pool.windows().always()) {
      return null;
    }
    OpenSpan known = span;
    if (known == null || !known.holds(at)) {
      Opening open = pool.windows().current(at);
      Opening next = open == null ? pool.windows().next(at) : null;
      Instant until = open == null ? next == null ? null : next.start() : open.end();
      known = new OpenSpan(at, until, open);
      span = known;
    }
    Opening open = known.open();
    return open == null ? null : new Opening(at, open.end(), open.zone());
  }

  /** Returns the name of the cluster, and of the pool if any. */
  public String text() {
    NodePool pool = part.pool();
    return pool == null ? name() : name() + ", pool " + pool.name();
  }

  /** Returns whether the node belongs to this part. */
  public boolean has(NodeCapacity capacity) {
    return capacity.rank() < capacities.size() && capacities.get(capacity.rank()).equals(capacity);
  }

  /** Returns the members of the whole fleet by the terms of jobs. */
  public NeighbourCounts neighbours() {
    return neighbours;
  }

  public Levels levels() {
    return levels;
  }

  /** Returns all nodes, by name. */
  public List<NodeCapacity> capacities() {
    return Collections.unmodifiableList(capacities);
  }

  /** Returns the GPU models of the nodes by name, {@link Flavor#CPU} for nodes without GPUs. */
  public Iterable<String> models() {
    return models.keySet();
  }

  /** Returns whether a node has the model. */
  public boolean has(String model) {
    return models.containsKey(model);
  }

  /**
   * Returns the open nodes that could take the member if they had enough free capacity, by name.
   */
  public List<NodeCapacity> admitting(MemberShape member, String model) {
    Admitting known = last;
    if (known != null && known.model.equals(model) && known.member.equals(member)) {
      return known.capacities;
    }
    List<NodeCapacity> admitting = new ArrayList<>();
    byte[] verdict = filters.of(member);
    for (NodeCapacity capacity : ofModel(member, model)) {
      if (capacity.open() && filters.admits(verdict, capacity.rank(), member)) {
        admitting.add(capacity);
      }
    }
    last = new Admitting(member, model, Collections.unmodifiableList(admitting));
    return last.capacities;
  }

  /** The last result, because several queries about one shape follow each other. */
  private record Admitting(MemberShape member, String model, List<NodeCapacity> capacities) {}

  /** Returns how many nodes can take one member now, and why the others cannot. */
  public FitSummary summary(MemberShape member, String model) {
    Summarized known = summarized;
    if (known == null
        || !member.neighbours().ofNode()
        || known.at != columns.version()
        || !known.model.equals(model)
        || !known.member.equals(member)) {
      FitSummary summary = counter().of(member, model);
      known = new Summarized(member, model, columns.version(), summary);
      summarized = known;
    }
    return known.summary;
  }

  private FitCounter counter() {
    FitCounter known = counter;
    if (known == null) {
      known =
          new FitCounter(cluster, capacities, List.copyOf(models.keySet()), filters, columns, past);
      counter = known;
    }
    return known;
  }

  /** The last summary, and its version. */
  private record Summarized(MemberShape member, String model, int at, FitSummary summary) {}

  ClusterCycleCache cache() {
    FitCounter counted = counter;
    return new ClusterCycleCache(levels, filters, counted == null ? null : counted.past());
  }

  /**
   * Returns the nodes that could take the member when idle: in any state, reserved or not, without
   * spares.
   */
  public List<NodeCapacity> built(MemberShape member, String model) {
    MemberShape ever = member.booked(BookedNodes.NONE);
    byte[] verdict = filters.of(ever);
    return ofModel(member, model).stream()
        .filter(r -> filters.admits(verdict, r.rank(), ever) && !spareIfIdle(r))
        .toList();
  }

  /**
   * Returns whether the node is reserved as a spare of its pool when it is idle. The last nodes by
   * name are spares.
   */
  public boolean spareIfIdle(NodeCapacity capacity) {
    if (sparesFrom < 0) {
      sparesFrom = sparesFrom();
    }
    return capacity.rank() >= sparesFrom && !capacity.node().gpus().isEmpty();
  }

  /** Returns whether the part reserves spares. */
  public boolean keepsSpares() {
    NodePool pool = part.pool();
    return pool != null && !pool.spares().none();
  }

  private int sparesFrom() {
    NodePool pool = part.pool();
    if (pool == null || !keepsSpares()) {
      return capacities.size();
    }
    int wanted =
        pool.spares().of((int) capacities.stream().filter(r -> !r.node().gpus().isEmpty()).count());
    int from = capacities.size();
    while (wanted > 0 && from > 0) {
      from--;
      wanted -= capacities.get(from).node().gpus().isEmpty() ? 0 : 1;
    }
    return from;
  }

  /** Returns the nodes of the model in any state, or all nodes for a member without GPU. */
  public List<NodeCapacity> ofModel(MemberShape member, String model) {
    return member.asksGpu() ? capacities(model) : capacities;
  }

  /** Returns the nodes of the model, in any state. */
  public List<NodeCapacity> capacities(String model) {
    NodesOfModel of = models.get(model);
    return of == null ? List.of() : of.all;
  }

  /**
   * Returns the smallest device memory among the model's nodes that is at least the given size, in
   * MiB, 0 if there is none.
   */
  public long leastDeviceMemory(String model, long atLeastMiB) {
    NodesOfModel of = models.get(model);
    Long least = of == null ? null : of.memories.ceiling(atLeastMiB);
    return least == null ? 0 : least;
  }

  /**
   * Returns the node for one member: by {@link #chooseBy} of the cluster, else the fullest node. A
   * member without GPU prefers nodes without GPUs. Null for none.
   *
   * @param model model of its GPUs, null for any that the member accepts
   */
  public NodeChoice.@Nullable Chosen choose(
      MemberShape member,
      @Nullable String model,
      Comparator<NodeCapacity> fullestFirst,
      WorkBudget work) {
    NodeChoice by = choice;
    if (by == null) {
      NodeCapacity fullest = model == null ? null : fullest(member, model, fullestFirst, work);
      return fullest == null ? null : new NodeChoice.Chosen(fullest, -1);
    }
    NodesOfModel plain = member.asksGpu() ? null : models.get(Flavor.CPU);
    NodeCapacity found = plain == null ? null : plain.index().first(cluster, member, work);
    return found == null
        ? by.best(member, member.asksGpu() ? model : null, work)
        : new NodeChoice.Chosen(found, -1);
  }

  /**
   * Returns the fullest open node on which one member fits. A member without GPU prefers nodes
   * without GPUs. Null for none.
   */
  public @Nullable NodeCapacity fullest(
      MemberShape member, String model, Comparator<NodeCapacity> fullestFirst, WorkBudget work) {
    NodesOfModel asked = models.get(member.asksGpu() ? model : Flavor.CPU);
    NodeCapacity found = asked == null ? null : asked.index().first(cluster, member, work);
    if (found != null || member.asksGpu()) {
      return found;
    }
    for (NodesOfModel capacities : models.values()) {
      NodeCapacity other = capacities.index().first(cluster, member, work);
      if (other != null && (found == null || fullestFirst.compare(other, found) < 0)) {
        found = other;
      }
    }
    return found;
  }

  /** The nodes of one model. The index is built on first use. */
  private static final class NodesOfModel {
    private final List<NodeCapacity> all = new ArrayList<>();
    private final TreeSet<Long> memories = new TreeSet<>();
    private @Nullable FreeIndex index;

    void add(NodeCapacity capacity) {
      all.add(capacity);
      memories.add(capacity.node().gpuMemoryMiB());
    }

    FreeIndex index() {
      FreeIndex built = index;
      if (built == null) {
        built = new FreeIndex(all.stream().filter(NodeCapacity::open).toList());
        index = built;
      }
      return built;
    }
  }
}
