package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.cluster.FleetSize;
import dev.fairlead.fleet.cluster.NodePage;
import dev.fairlead.fleet.node.CapacityLabels;
import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.CordonedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeFacts;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.NodeStatus;
import dev.fairlead.fleet.node.NodeStatusBuilder;
import dev.fairlead.fleet.node.Taint;
import dev.fairlead.fleet.node.gpu.Gpu;
import dev.fairlead.fleet.node.gpu.GpuState;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolAssignment;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.postgres.Columns;
import dev.fairlead.kernel.postgres.Json;
import dev.fairlead.kernel.postgres.RowBatch;
import dev.fairlead.kernel.postgres.RowCache;
import dev.fairlead.kernel.postgres.SqlFile;
import dev.fairlead.kernel.resources.ResourceVector;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.event.FleetFact;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.core.type.TypeReference;

/** Rows of nodes and their GPUs. */
@Component
class NodeTable {
  private static final SqlFile NODES = SqlFile.named("cluster/nodes");
  private static final SqlFile IN_SERVICE = SqlFile.named("cluster/nodes-in-service");
  private static final SqlFile NAMED = SqlFile.named("cluster/named-nodes");
  private static final SqlFile BY_NAME = SqlFile.named("cluster/nodes-by-name");
  private static final SqlFile PAGE = SqlFile.named("cluster/node-page");
  private static final SqlFile SIZE = SqlFile.named("cluster/size");
  private static final SqlFile SIZES = SqlFile.named("cluster/sizes");
  private static final SqlFile VERSIONS = SqlFile.named("cluster/node-versions");
  private static final SqlFile NODE = SqlFile.named("cluster/node");
  private static final SqlFile LOCK = SqlFile.named("cluster/lock-nodes");
  private static final SqlFile LEFT = SqlFile.named("cluster/nodes-that-left");
  private static final SqlFile BRING_BACK = SqlFile.named("cluster/bring-back-nodes");
  private static final SqlFile GPUS = SqlFile.named("cluster/gpus");
  private static final SqlFile WRITE_NODES = SqlFile.named("cluster/write-nodes");
  private static final SqlFile WRITE_GPUS = SqlFile.named("cluster/write-gpus");
  private static final SqlFile CORDONS = SqlFile.named("cluster/cordons");
  private static final SqlFile QUARANTINED = SqlFile.named("cluster/quarantined");
  private static final SqlFile QUARANTINE_GPU = SqlFile.named("cluster/quarantine-gpu");
  private static final SqlFile LOCK_ALL = SqlFile.named("cluster/lock-cluster-nodes");
  private static final SqlFile REMOVE_GPUS = SqlFile.named("cluster/remove-gpus");
  private static final SqlFile REMOVE = SqlFile.named("cluster/remove-nodes");
  private static final SqlFile LOCK_ONE = SqlFile.named("cluster/lock-node");
  private static final SqlFile LOCK_ORDERED = SqlFile.named("cluster/lock-ordered-nodes");
  private static final SqlFile ORDER = SqlFile.named("cluster/order-nodes");
  private static final SqlFile LOCK_RETIRED = SqlFile.named("cluster/lock-retired-node");
  private static final SqlFile LOCK_ORDERED_RETIRED =
      SqlFile.named("cluster/lock-ordered-retired-nodes");
  private static final SqlFile ORDER_RETIRED = SqlFile.named("cluster/order-retired-nodes");
  private static final SqlFile ASSIGN = SqlFile.named("cluster/assign-pools");
  private static final SqlFile LOCK_FOR_POOL = SqlFile.named("cluster/lock-pool-nodes");
  private static final SqlFile BUSY = SqlFile.named("cluster/busy-in-pools");
  private static final SqlFile SHOWN = SqlFile.named("cluster/nodes-shown-since");
  private static final SqlFile ALL_BUSY = SqlFile.named("cluster/busy-nodes");
  private static final SqlFile PODS = SqlFile.named("cluster/pods-of-nodes");
  private static final ClusterId FIRST_CLUSTER = new ClusterId(new UUID(0, 0));
  private static final ClusterId LAST_CLUSTER = new ClusterId(new UUID(-1, -1));
  private static final TypeReference<List<Taint>> TAINTS = new TypeReference<>() {};

  private final JdbcClient jdbc;
  private final PoolTable pools;

  NodeTable(JdbcClient jdbc, PoolTable pools) {
    this.jdbc = jdbc;
    this.pools = pools;
  }

  /** The stored pools, locked until the transaction ends. */
  PoolAssignment assignment() {
    return pools.assignment();
  }

  /** Like the method above, for these pools. */
  PoolAssignment assignment(List<Pool> all) {
    return new PoolAssignment(all, pools.now());
  }

  SortedMap<NodeId, String> busyIn(ClusterId cluster, Collection<String> names) {
    SortedMap<NodeId, String> busy = new TreeMap<>();
    named(BUSY, cluster, List.copyOf(names))
        .query(row -> {
          busy.put(new NodeId(Columns.uuid(row, "id")), Columns.text(row, "pool"));
        });
    return busy;
  }

  SortedSet<NodeId> busy(ClusterId cluster) {
    return new TreeSet<>(
        jdbc.sql(ALL_BUSY.text())
            .param("cluster", cluster.value())
            .query((row, _) -> new NodeId(Columns.uuid(row, "id")))
            .list());
  }

  SortedMap<NodeId, Long> pods(Collection<UUID> ids) {
    SortedMap<NodeId, Long> pods = new TreeMap<>();
    jdbc.sql(PODS.text())
        .param("ids", Json.ids(ids))
        .query(row -> {
          pods.put(new NodeId(Columns.uuid(row, "id")), row.getLong("allocated_pods"));
        });
    return pods;
  }

  SortedMap<String, Instant> shownSince(ClusterId cluster, Collection<String> names) {
    SortedMap<String, Instant> since = new TreeMap<>();
    named(SHOWN, cluster, List.copyOf(names))
        .query(row -> {
          since.put(Columns.text(row, "name"), Columns.instant(row, "shown_since"));
        });
    return since;
  }

  /** Writes the pools of these nodes, which are locked by id. */
  void assign(List<Node> nodes) {
    List<UUID> ids = nodes.stream().map(n -> n.id().value()).toList();
    List<UUID> _ =
        jdbc.sql(LOCK_FOR_POOL.text()).param("ids", Json.ids(ids)).query(UUID.class).list();
    RowBatch rows = new RowBatch();
    nodes.forEach(node -> set(rows.row().set("id", node.id().value()), node.pool()));
    jdbc.sql(ASSIGN.text()).param("rows", rows.json()).update();
  }

  /** Lists nodes by cluster, then name, without retired nodes. */
  List<Node> nodes(@Nullable ClusterId cluster) {
    String only = cluster == null ? null : cluster.value().toString();
    return withGpus(jdbc.sql(NODES.text()).param("cluster", only).query(NodeTable::node).list());
  }

  /** Nodes with these names that are not retired, by name. */
  List<Node> named(ClusterId cluster, Collection<String> names) {
    return withGpus(named(NAMED, cluster, List.copyOf(names)).query(NodeTable::node).list());
  }

  List<Node> named(Collection<String> names) {
    return withGpus(
        jdbc.sql(BY_NAME.text())
            .param("names", names.toArray(String[]::new))
            .query(NodeTable::node)
            .list());
  }

  List<Node> page(NodePage page) {
    ClusterId only = page.cluster();
    NodePage.Place after =
        page.after() != null
            ? page.after()
            : new NodePage.Place(only == null ? FIRST_CLUSTER : only, "");
    return withGpus(
        jdbc.sql(PAGE.text())
            .param("from", after.cluster().value())
            .param("after", after.name())
            .param("to", (only == null ? LAST_CLUSTER : only).value())
            .param("anyState", page.states().isEmpty())
            .param("states", page.states().stream().map(Enum::name).toArray(String[]::new))
            .param("models", page.models() == null ? null : page.models().toArray(String[]::new))
            .param("most", page.most())
            .query(NodeTable::node)
            .list());
  }

  FleetSize size(ClusterId cluster) {
    return jdbc.sql(SIZE.text())
        .param("cluster", cluster.value())
        .query((row, _) -> size(row))
        .single();
  }

  SortedMap<ClusterId, FleetSize> sizes() {
    SortedMap<ClusterId, FleetSize> sizes = new TreeMap<>();
    jdbc.sql(SIZES.text())
        .query(row -> {
          sizes.put(new ClusterId(Columns.uuid(row, "cluster")), size(row));
        });
    return sizes;
  }

  private static FleetSize size(ResultSet row) throws SQLException {
    return new FleetSize(row.getInt("nodes"), row.getInt("gpu_nodes"), row.getInt("gpus"));
  }

  /** Nodes with these ids that are not retired. */
  List<Node> inService(Collection<UUID> ids) {
    return withGpus(
        jdbc.sql(IN_SERVICE.text()).param("ids", Json.ids(ids)).query(NodeTable::node).list());
  }

  /** GPUs of nodes that are not retired, by id. */
  List<RowCache.Version> versions(UUID after, int most) {
    return jdbc.sql(VERSIONS.text())
        .param("after", after)
        .param("most", most)
        .query((row, n) -> new RowCache.Version(Columns.uuid(row, "id"), row.getLong("version")))
        .list();
  }

  List<Node> node(NodeId id) {
    return withGpus(jdbc.sql(NODE.text()).param("id", id.value()).query(NodeTable::node).list());
  }

  /** Locks, by id, these nodes and nodes with these names, including retired ones. */
  List<Node> lock(ClusterId cluster, List<UUID> ids, List<String> names) {
    return withGpus(
        named(LOCK, cluster, names).param("ids", Json.ids(ids)).query(NodeTable::node).list());
  }

  /** Nodes with these names that retention removed from the table of nodes, locked. */
  List<Node> left(ClusterId cluster, List<String> names) {
    return withGpus(named(LEFT, cluster, names).query(NodeTable::node).list());
  }

  private JdbcClient.StatementSpec named(SqlFile statement, ClusterId cluster, List<String> names) {
    return jdbc.sql(statement.text())
        .param("cluster", cluster.value())
        .param("names", names.toArray(String[]::new));
  }

  /** Ends the absence of nodes that were written again. */
  void bringBack(List<UUID> ids) {
    jdbc.sql(BRING_BACK.text()).param("ids", Json.ids(ids)).update();
  }

  /** Locks all nodes of the cluster first, so that their concurrent placements are visible. */
  void remove(ClusterId cluster) {
    jdbc.sql(LOCK_ALL.text()).param("cluster", cluster.value()).query(UUID.class).list();
    jdbc.sql(REMOVE_GPUS.text()).param("cluster", cluster.value()).update();
    jdbc.sql(REMOVE.text()).param("cluster", cluster.value()).update();
  }

  List<CordonedNode> cordons(ClusterId cluster) {
    return jdbc.sql(CORDONS.text())
        .param("cluster", cluster.value())
        .query((row, n) ->
            new CordonedNode(
                new NodeId(Columns.uuid(row, "id")),
                Columns.text(row, "name"),
                Columns.value(row, "cordon", Cordon.class)))
        .list();
  }

  /**
   * Active quarantines.
   *
   * @param gpus UUIDs of individually excluded devices
   */
  record Quarantined(Set<UUID> nodes, Set<String> gpus) {}

  Quarantined quarantined(ClusterId cluster) {
    Quarantined all = new Quarantined(new TreeSet<>(), new TreeSet<>());
    jdbc.sql(QUARANTINED.text())
        .param("cluster", cluster.value())
        .query(row -> {
          String gpu = row.getString("gpu");
          boolean _ =
              gpu == null ? all.nodes().add(Columns.uuid(row, "node")) : all.gpus().add(gpu);
        });
    return all;
  }

  /**
   * Takes one device out of service, under the lock of its node. Returns whether the device
   * changed.
   */
  boolean quarantine(NodeId node, String gpu) {
    List<UUID> _ =
        jdbc.sql(LOCK_ORDERED.text())
            .param("ids", Json.ids(List.of(node.value())))
            .query((row, n) -> Columns.uuid(row, "id"))
            .list();
    return jdbc.sql(QUARANTINE_GPU.text()).param("node", node.value()).param("gpu", gpu).update()
        > 0;
  }

  /**
   * Locks the rows by id and decides on them. Returns whether one changed.
   *
   * @param facts gets the events of the changes, by cluster
   */
  boolean order(
      Collection<NodeId> ids, NodeOrder order, SortedMap<ClusterId, List<FleetFact>> facts) {
    SortedSet<NodeId> left = new TreeSet<>(ids);
    boolean changed = ordered(left, order, LOCK_ORDERED, ORDER, facts);
    return ordered(left, order, LOCK_ORDERED_RETIRED, ORDER_RETIRED, facts) || changed;
  }

  /** Like the method above, for nodes that have a row in the cluster. Removes them from the set. */
  private boolean ordered(
      SortedSet<NodeId> left,
      NodeOrder order,
      SqlFile lock,
      SqlFile write,
      SortedMap<ClusterId, List<FleetFact>> facts) {
    if (left.isEmpty()) {
      return false;
    }
    RowBatch rows = new RowBatch();
    jdbc.sql(lock.text())
        .param("ids", Json.ids(left.stream().map(NodeId::value).toList()))
        .query(row -> {
          UUID id = Columns.uuid(row, "id");
          NodeState before = Columns.value(row, "state", NodeState.class);
          NodeState after = order.after(before);
          left.remove(new NodeId(id));
          ClusterId cluster = new ClusterId(Columns.uuid(row, "cluster"));
          NodeFacts.moved(new NodeId(id), before, after, row.getLong("version") + 1)
              .ifPresent(fact -> facts.computeIfAbsent(cluster, _ -> new ArrayList<>()).add(fact));
          rows.row()
              .set("id", id)
              .set("state", after)
              .set("cordon", order.after(Columns.value(row, "cordon", Cordon.class)));
        });
    return !rows.isEmpty() && jdbc.sql(write.text()).param("rows", rows.json()).update() > 0;
  }

  /** Locks the row. */
  Optional<Cordon> lockedCordon(NodeId id) {
    return cordon(LOCK_ONE, id).or(() -> cordon(LOCK_RETIRED, id));
  }

  private Optional<Cordon> cordon(SqlFile lock, NodeId id) {
    return jdbc.sql(lock.text())
        .param("id", id.value())
        .query((row, n) -> Columns.value(row, "cordon", Cordon.class))
        .optional();
  }

  /** Inserts or updates reports of clusters. Allocated amounts of the row are unchanged. */
  void write(List<Node> nodes) {
    RowBatch rows = new RowBatch();
    RowBatch gpus = new RowBatch();
    for (Node node : nodes) {
      row(rows.row(), node);
      for (Gpu gpu : node.gpus()) {
        gpus.row()
            .set("node", node.id().value())
            .set("idx", gpu.index())
            .set("serial", gpu.serial())
            .set("state", gpu.state());
      }
    }
    jdbc.sql(WRITE_NODES.text()).param("rows", rows.json()).update();
    jdbc.sql(WRITE_GPUS.text()).param("rows", gpus.json()).update();
  }

  private List<Node> withGpus(List<Node> nodes) {
    if (nodes.isEmpty()) {
      return nodes;
    }
    Map<UUID, List<Gpu>> byNode = new TreeMap<>();
    List<UUID> ids = nodes.stream().map(n -> n.id().value()).toList();
    jdbc.sql(GPUS.text())
        .param("nodes", Json.ids(ids))
        .query(row -> {
          byNode.computeIfAbsent(Columns.uuid(row, "node"), n -> new ArrayList<>()).add(gpu(row));
        });
    return nodes.stream()
        .map(n -> n.withStatus(n.status().withGpus(byNode.getOrDefault(n.id().value(), List.of()))))
        .toList();
  }

  private static Gpu gpu(ResultSet row) throws SQLException {
    return new Gpu(
        row.getInt("idx"),
        Columns.text(row, "serial"),
        Columns.value(row, "state", GpuState.class),
        row.getInt("allocated_milli"),
        row.getInt("slices"));
  }

  private static Node node(ResultSet row, int number) throws SQLException {
    SortedMap<String, String> labels = Json.texts(Columns.text(row, "labels"));
    NodeStatus status =
        NodeStatusBuilder.builder()
            .state(Columns.value(row, "state", NodeState.class))
            .gpuModel(Columns.text(row, "gpu_model"))
            .gpuMemoryMiB(row.getLong("gpu_memory_mib"))
            .allocatable(amounts(row, "allocatable"))
            .allocated(amounts(row, "allocated"))
            .foreign(amounts(row, "foreign"))
            .labels(labels)
            .taints(taints(Columns.text(row, "taints")))
            .topology(Json.texts(Columns.text(row, "topology")))
            .bootId(Columns.text(row, "boot_id"))
            .gpus(List.of())
            .capacity(CapacityLabels.of(labels).orElse(null))
            .build();
    return new Node(
        new NodeId(Columns.uuid(row, "id")),
        new ClusterId(Columns.uuid(row, "cluster")),
        Columns.text(row, "name"),
        row.getLong("version"),
        pool(row),
        status);
  }

  private static @Nullable NodePool pool(ResultSet row) throws SQLException {
    String name = row.getString("pool");
    UUID tenant = row.getObject("pool_tenant", UUID.class);
    return name == null
        ? null
        : new NodePool(
            name,
            tenant == null ? null : new TenantId(tenant),
            PoolEntity.spares(row.getString("pool_spares")),
            WindowsText.read(row.getString("pool_windows")));
  }

  private static List<Taint> taints(String text) {
    return text.equals("[]") ? List.of() : Json.read(text, TAINTS);
  }

  private static ResourceVector amounts(ResultSet row, String kind) throws SQLException {
    return new ResourceVector(
        row.getLong(kind + "_cpu"),
        row.getLong(kind + "_memory_mib"),
        row.getLong(kind + "_gpu"),
        row.getLong(kind + "_pods"),
        Json.amounts(Columns.text(row, kind + "_extended")));
  }

  private static void row(RowBatch row, Node node) {
    row.set("id", node.id().value())
        .set("cluster", node.cluster().value())
        .set("name", node.name())
        .set("state", node.state())
        .set("gpu_model", node.gpuModel())
        .set("gpu_memory_mib", node.gpuMemoryMiB())
        .set("labels", node.labels())
        .set("taints", node.taints())
        .set("topology", node.topology())
        .set("boot_id", node.bootId());
    set(row, node.pool());
    set(row, "allocatable", node.allocatable());
    set(row, "foreign", node.foreign());
  }

  private static void set(RowBatch row, @Nullable NodePool pool) {
    TenantId tenant = pool == null ? null : pool.tenant();
    row.set("pool", pool == null ? null : pool.name())
        .set("pool_tenant", tenant == null ? null : tenant.value())
        .set("pool_spares", pool == null ? null : PoolEntity.text(pool.spares()))
        .set("pool_windows", pool == null ? null : WindowsText.of(pool.windows()));
  }

  private static void set(RowBatch row, String kind, ResourceVector amounts) {
    row.set(kind + "_cpu", amounts.cpuMilli())
        .set(kind + "_memory_mib", amounts.memoryMiB())
        .set(kind + "_gpu", amounts.gpuMilli())
        .set(kind + "_pods", amounts.pods())
        .set(kind + "_extended", amounts.extended());
  }
}
