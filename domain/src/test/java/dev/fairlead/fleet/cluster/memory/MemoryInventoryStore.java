package dev.fairlead.fleet.cluster.memory;

import dev.fairlead.care.reservation.AdvanceReservation;
import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterFacts;
import dev.fairlead.fleet.cluster.FleetSize;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.NodePage;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.CordonedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeFacts;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.NodeTransition;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolAssignment;
import dev.fairlead.fleet.node.window.PoolWindows;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Conflict.Guard;
import dev.fairlead.kernel.transaction.memory.MemoryDatabase;
import dev.fairlead.kernel.transaction.memory.MemoryTable;
import dev.fairlead.work.attempt.member.GpuShare;
import dev.fairlead.work.attempt.member.Member;
import dev.fairlead.work.event.FleetEvents;
import dev.fairlead.work.event.FleetFact;
import dev.fairlead.work.event.WakeUps.Topic;
import dev.fairlead.work.job.Job;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** In-memory implementation of {@link InventoryStore}. */
public final class MemoryInventoryStore implements InventoryStore {
  private static final String REPORTS = "supervisor";
  private static final String ORDERS = "fleet";

  private final MemoryDatabase database;
  private final IdSource ids;
  private final MemoryTable<ClusterId, Cluster> clusters;
  private final MemoryTable<ClusterId, Connection> connections;
  private final MemoryTable<NodeId, Node> nodes;
  private final MemoryTable<NodeId, Cordon> cordons;
  private final MemoryTable<ClusterId, String> removed;
  private final MemoryTable<String, List<Pool>> pools;
  private final InstantSource clock;
  private final MemoryTable<NodeId, Instant> shown;
  private Supplier<List<AdvanceReservation>> advanceReservations = List::of;
  private Predicate<NodeId> quarantined = node -> false;
  private Predicate<String> quarantinedGpu = gpu -> false;
  private FleetEvents events = FleetEvents.NONE;

  public MemoryInventoryStore(MemoryDatabase database, IdSource ids, InstantSource clock) {
    this.clock = clock;
    this.database = database;
    this.ids = ids;
    this.clusters = database.table();
    this.connections = database.table();
    this.nodes = database.table();
    this.cordons = database.tableOfPlaces();
    this.shown = database.table();
    this.removed = database.table();
    this.pools = database.table();
  }

  /** Sets the log of the events of nodes and clusters. */
  public void tellsTo(FleetEvents log) {
    events = log;
  }

  /** Sets the test for nodes with an active quarantine. */
  public void quarantinedBy(Predicate<NodeId> rows) {
    quarantined = rows;
  }

  /** Sets the test for GPUs with an active quarantine, by their UUID. */
  public void quarantinedGpusBy(Predicate<String> rows) {
    quarantinedGpu = rows;
  }

  /**
   * Allocates the member's capacity and GPUs in the open transaction.
   *
   * @throws Conflict NODE_ROOM or GPU_SLOT
   */
  public void take(Member member, String subject) {
    take(member, subject, true);
  }

  /** Returns whether the pool of the node accepts the job, and the job names it. */
  public boolean serves(NodeId id, Job job) {
    NodePool pool = nodes.find(id).map(Node::pool).orElse(null);
    List<String> wanted = job.spec().placement().pools();
    return (pool == null || pool.serves(job.tenant()))
        && (wanted.isEmpty() || pool != null && wanted.contains(pool.name()));
  }

  /** Sets the source of the open advance reservations. */
  public void bookedBy(Supplier<List<AdvanceReservation>> open) {
    advanceReservations = open;
  }

  public List<AdvanceReservation> advanceReservations(NodeId id) {
    return advanceReservations.get().stream().filter(one -> one.holds(id)).toList();
  }

  public PoolWindows windows(NodeId id) {
    return nodes.find(id).map(Node::pool).map(NodePool::windows).orElse(PoolWindows.NONE);
  }

  /** Without the guard it over-allocates. */
  public void take(Member member, String subject, boolean guarded) {
    Node node =
        nodes
            .find(member.node())
            .filter(
                n -> !guarded || n.state() == NodeState.ACTIVE && member.request().fitsIn(n.free()))
            .orElseThrow(() -> new Conflict(Guard.NODE_ROOM, subject));
    hold(node, member, subject, guarded);
  }

  /**
   * Allocates the member's GPUs on a node that another scheduler chose, and its capacity without a
   * limit.
   */
  public void follow(Member member, String subject) {
    hold(nodes.find(member.node()).orElseThrow(), member, subject, true);
  }

  private void hold(Node found, Member member, String subject, boolean guarded) {
    Node node = found;
    for (GpuShare share : member.gpus()) {
      boolean free =
          node.gpus().stream()
              .anyMatch(g -> g.index() == share.index() && g.takes(share.milli(), share.slices()));
      if (guarded && !free) {
        throw new Conflict(Guard.GPU_SLOT, subject);
      }
      node = NodeRows.taking(node, share);
    }
    nodes.put(node.id(), NodeRows.holding(node, node.allocated().plus(member.request())));
  }

  /** Releases the member's capacity and GPUs in the open transaction. */
  public void giveBack(Member member) {
    Node node = nodes.find(member.node()).orElseThrow();
    for (GpuShare share : member.gpus()) {
      node = NodeRows.giving(node, share);
    }
    nodes.put(node.id(), NodeRows.holding(node, node.allocated().minus(member.request())));
  }

  /** Computes the use of the node by these members again, in the open transaction. */
  public void recount(NodeId id, List<Member> members) {
    Node node = nodes.find(id).orElseThrow();
    for (Gpu gpu : node.gpus()) {
      GpuShare all = new GpuShare(gpu.index(), gpu.serial(), gpu.allocatedMilli(), gpu.slices());
      node = NodeRows.giving(node, all);
    }
    nodes.put(id, NodeRows.holding(node, ResourceVector.ZERO));
    members.forEach(member -> take(member, id.text(), false));
  }

  /** An operator's or a health check's change of a node's state. */
  public void move(NodeId id, NodeState state) {
    database.run(() -> change(nodes.find(id).orElseThrow(), n -> n.in(state), new ArrayList<>()));
  }

  @Override
  public void insert(Cluster cluster, Connection connection) {
    database.run(() -> {
      if (clusterNamed(cluster.name()).isPresent()) {
        throw new Conflict(Guard.NAME_TAKEN, cluster.name());
      }
      clusters.put(cluster.id(), cluster);
      connections.put(cluster.id(), connection);
      database.changed(Topic.INVENTORY);
    });
  }

  @Override
  public void update(Cluster cluster) {
    database.run(() -> {
      Cluster row = before(cluster);
      clusters.put(
          row.id(),
          row.moved(
              cluster.state(), cluster.lastSeenAt(), cluster.trouble(), cluster.capabilities()));
      database.changed(Topic.INVENTORY);
      events.append(
          cluster.id(),
          ClusterFacts.ordered(row, cluster) ? ORDERS : REPORTS,
          ClusterFacts.of(row, cluster));
    });
  }

  @Override
  public void configure(Cluster cluster, @Nullable Connection connection) {
    database.run(() -> {
      Cluster row = before(cluster);
      clusters.put(
          row.id(),
          row.configured(cluster.capacity(), cluster.pricePerGpuHour(), cluster.settings()));
      if (connection != null) {
        connections.put(row.id(), connection);
      }
      database.changed(Topic.INVENTORY);
    });
  }

  private Cluster before(Cluster cluster) {
    return clusters
        .find(cluster.id())
        .filter(c -> c.version() == cluster.version() - 1)
        .orElseThrow(() -> new Conflict(Guard.VERSION, cluster.id().text()));
  }

  @Override
  public void seen(ClusterId id, Instant at) {
    database.run(() -> clusters.find(id).ifPresent(c -> clusters.put(id, c.withLastSeenAt(at))));
  }

  @Override
  public Optional<Cluster> cluster(ClusterId id) {
    return database.call(() -> clusters.find(id));
  }

  @Override
  public Optional<Cluster> clusterNamed(String name) {
    return clusters().stream().filter(c -> c.name().equals(name)).findFirst();
  }

  @Override
  public List<Cluster> clusters() {
    return database.call(
        () -> clusters.all().stream().sorted(Comparator.comparing(Cluster::name)).toList());
  }

  @Override
  public Connection connection(ClusterId id) {
    return database.call(() -> connections.find(id).orElseThrow());
  }

  @Override
  public void remove(Cluster cluster) {
    database.run(() -> {
      Cluster row =
          clusters
              .find(cluster.id())
              .filter(c -> c.version() == cluster.version())
              .orElseThrow(() -> new Conflict(Guard.VERSION, cluster.name()));
      for (Node node : List.copyOf(nodes.all())) {
        if (node.cluster().equals(row.id())) {
          if (!node.allocated().equals(ResourceVector.ZERO)) {
            throw new Conflict(Guard.REFERENCED, cluster.name());
          }
          nodes.remove(node.id());
          cordons.remove(node.id());
        }
      }
      clusters.remove(row.id());
      connections.remove(row.id());
      removed.put(row.id(), row.name());
      database.changed(Topic.INVENTORY);
    });
  }

  @Override
  public Optional<String> nameOf(ClusterId id) {
    return database.call(() -> clusters.find(id).map(Cluster::name).or(() -> removed.find(id)));
  }

  @Override
  public int report(ClusterId cluster, List<NodeReport> reports) {
    return database.call(() -> {
      SortedMap<String, Node> known = new TreeMap<>();
      nodes.all().stream()
          .filter(n -> n.cluster().equals(cluster))
          .forEach(n -> known.put(n.name(), n));
      int changed = 0;
      List<FleetFact> facts = new ArrayList<>();
      for (NodeReport report : reports) {
        Node row = known.remove(report.name());
        changed +=
            row == null
                ? insert(cluster, report, facts)
                : change(
                    row,
                    n ->
                        pooled(
                            NodeTransition.reported(
                                n,
                                report,
                                cordon(n.id()),
                                quarantined.test(n.id()),
                                quarantinedGpu)),
                    facts);
      }
      for (Node gone : known.values()) {
        changed += change(gone, NodeTransition::gone, facts);
      }
      events.append(cluster, REPORTS, facts);
      return changed;
    });
  }

  @Override
  public int assign(List<Pool> all) {
    return database.call(() -> {
      pools.put("", List.copyOf(all));
      return nodes(null).stream()
          .mapToInt(row -> change(row, this::pooled, new ArrayList<>()))
          .sum();
    });
  }

  private Node pooled(Node node) {
    String cluster = clusters.find(node.cluster()).map(Cluster::name).orElse("");
    return node.in(
        pools
            .find("")
            .map(all -> new PoolAssignment(all, clock.instant()).of(cluster, node))
            .orElse(null));
  }

  @Override
  public SortedMap<NodeId, String> busyIn(ClusterId cluster, Collection<String> names) {
    return NodeReads.busyIn(database.call(nodes::all), cluster, names);
  }

  @Override
  public SortedSet<NodeId> busy(ClusterId cluster) {
    return NodeReads.busy(database.call(nodes::all), cluster);
  }

  @Override
  public SortedMap<NodeId, Long> pods(Set<NodeId> ids) {
    return NodeReads.pods(database.call(nodes::all), ids);
  }

  @Override
  public SortedMap<String, Instant> shownSince(ClusterId cluster, Collection<String> names) {
    SortedMap<String, Instant> since = new TreeMap<>();
    database.run(() ->
        named(cluster, names)
            .forEach(node -> shown.find(node.id()).ifPresent(at -> since.put(node.name(), at))));
    return since;
  }

  @Override
  public Optional<Node> order(NodeId id, NodeOrder order) {
    return database.call(() -> {
      order(List.of(id), order);
      return nodes.find(id);
    });
  }

  @Override
  public void order(Collection<NodeId> all, NodeOrder order) {
    database.run(() -> {
      SortedMap<ClusterId, List<FleetFact>> facts = new TreeMap<>();
      for (NodeId id : all) {
        nodes
            .find(id)
            .ifPresent(row -> {
              Cordon next = order.after(cordon(id));
              cordons.put(id, next);
              change(
                  row,
                  n -> n.in(order.after(n.state())),
                  facts.computeIfAbsent(row.cluster(), _ -> new ArrayList<>()));
              database.changed(Topic.INVENTORY);
            });
      }
      facts.forEach((cluster, its) -> events.append(cluster, ORDERS, its));
    });
  }

  @Override
  public void quarantine(NodeId id, String gpu) {
    database.run(() ->
        nodes
            .find(id)
            .ifPresent(row -> change(row, n -> NodeRows.quarantined(n, gpu), new ArrayList<>())));
  }

  @Override
  public Optional<Cordon> lockedCordon(NodeId id) {
    return database.call(() -> nodes.find(id).map(node -> cordon(id)));
  }

  @Override
  public List<CordonedNode> cordons(ClusterId cluster) {
    return database.call(() -> NodeReads.cordons(nodes.all(), cluster, this::cordon));
  }

  private Cordon cordon(NodeId id) {
    return cordons.find(id).orElse(Cordon.NONE);
  }

  @Override
  public Optional<Node> node(NodeId id) {
    return database.call(() -> nodes.find(id));
  }

  @Override
  public List<Node> inService(Set<NodeId> ids) {
    return database.call(() -> nodes(null).stream().filter(n -> ids.contains(n.id())).toList());
  }

  @Override
  public FleetSource.Fleet fleet() {
    return database.call(() -> new FleetSource.Fleet(clusters(), nodes(null)));
  }

  @Override
  public List<Node> nodes(@Nullable ClusterId cluster) {
    return database.call(() ->
        nodes.all().stream()
            .filter(n -> n.state() != NodeState.RETIRED)
            .filter(n -> cluster == null || n.cluster().equals(cluster))
            .sorted(Comparator.comparing(Node::cluster).thenComparing(Node::name))
            .toList());
  }

  @Override
  public List<Node> named(ClusterId cluster, Collection<String> names) {
    return nodes(cluster).stream().filter(n -> names.contains(n.name())).toList();
  }

  @Override
  public List<Node> named(Collection<String> names) {
    return nodes(null).stream().filter(n -> names.contains(n.name())).toList();
  }

  @Override
  public List<Node> page(NodePage page) {
    return NodeReads.page(nodes(page.cluster()), page);
  }

  @Override
  public FleetSize size(ClusterId cluster) {
    return sizes().getOrDefault(cluster, FleetSize.EMPTY);
  }

  @Override
  public SortedMap<ClusterId, FleetSize> sizes() {
    return NodeReads.sizes(nodes(null));
  }

  private int insert(ClusterId cluster, NodeReport report, List<FleetFact> facts) {
    if (report.machineGone()) {
      return 0;
    }
    Node node =
        pooled(NodeTransition.fresh(new NodeId(ids.next()), cluster, report, quarantinedGpu));
    nodes.put(node.id(), node);
    NodeFacts.appeared(node).ifPresent(facts::add);
    shown.put(node.id(), clock.instant());
    database.changed(Topic.INVENTORY);
    return 1;
  }

  private int change(Node row, UnaryOperator<Node> how, List<FleetFact> facts) {
    Node next = how.apply(row);
    if (next.equals(row)) {
      return 0;
    }
    nodes.put(row.id(), next.withVersion(row.version() + 1));
    facts.addAll(NodeFacts.of(row, next, row.version() + 1));
    if (row.state() == NodeState.RETIRED && next.state() != NodeState.RETIRED) {
      shown.put(row.id(), clock.instant());
    }
    database.changed(Topic.INVENTORY);
    return 1;
  }
}
