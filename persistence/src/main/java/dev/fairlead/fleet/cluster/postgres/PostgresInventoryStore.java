package dev.fairlead.fleet.cluster.postgres;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterFacts;
import dev.fairlead.fleet.cluster.FleetSize;
import dev.fairlead.fleet.cluster.FleetSource;
import dev.fairlead.fleet.cluster.InventoryStore;
import dev.fairlead.fleet.cluster.NodePage;
import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.node.ActiveNodes;
import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.CordonedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeFacts;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.NodeTransition;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.fleet.node.pool.PoolAssignment;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.identity.IdSource;
import dev.fairlead.kernel.postgres.Change;
import dev.fairlead.kernel.postgres.Changes;
import dev.fairlead.kernel.postgres.Constraints;
import dev.fairlead.kernel.transaction.Conflict;
import dev.fairlead.kernel.transaction.Transactions;
import dev.fairlead.work.event.FleetEvents;
import dev.fairlead.work.event.FleetFact;
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
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.stereotype.Component;

/** {@link InventoryStore} on PostgreSQL. */
@Component
class PostgresInventoryStore implements InventoryStore {
  /** Actor of the events of reports. */
  private static final String REPORTS = "supervisor";

  /** Actor of the events of orders. */
  private static final String ORDERS = "fleet";

  private final Transactions transactions;
  private final ClusterTable clusters;
  private final NodeTable nodes;
  private final CredentialEncryption seal;
  private final IdSource ids;
  private final Changes changes;
  private final ActiveNodes cache;
  private final FleetEvents events;

  PostgresInventoryStore(
      Transactions transactions,
      ClusterTable clusters,
      NodeTable nodes,
      CredentialEncryption seal,
      IdSource ids,
      Changes changes,
      ActiveNodes cache,
      FleetEvents events) {
    this.transactions = transactions;
    this.clusters = clusters;
    this.nodes = nodes;
    this.seal = seal;
    this.ids = ids;
    this.changes = changes;
    this.cache = cache;
    this.events = events;
  }

  @Override
  public void insert(Cluster cluster, Connection connection) {
    String stored = seal.seal(cluster.id(), connection);
    changeFleet(() -> {
      clusters.insert(cluster, stored);
      changes.note(Change.INVENTORY);
    });
  }

  /** The fleet belongs to no tenant: the role of a tenant's connections may only read it. */
  private void changeFleet(Runnable change) {
    boolean _ =
        transactions.forAllTenants(() -> {
          change.run();
          return true;
        });
  }

  @Override
  public void update(Cluster cluster) {
    changeFleet(() -> {
      Cluster before = clusters.update(cluster);
      changes.note(Change.INVENTORY);
      events.append(
          cluster.id(),
          ClusterFacts.ordered(before, cluster) ? ORDERS : REPORTS,
          ClusterFacts.of(before, cluster));
    });
  }

  @Override
  public void configure(Cluster cluster, @Nullable Connection connection) {
    String stored = connection == null ? null : seal.seal(cluster.id(), connection);
    changeFleet(() -> {
      clusters.configure(cluster, stored);
      changes.note(Change.INVENTORY);
    });
  }

  @Override
  public void seen(ClusterId cluster, Instant at) {
    changeFleet(() -> clusters.seen(cluster, at));
  }

  @Override
  public Optional<Cluster> cluster(ClusterId id) {
    return transactions.call(() -> clusters.cluster(id));
  }

  @Override
  public Optional<Cluster> clusterNamed(String name) {
    return transactions.call(() -> clusters.named(name));
  }

  @Override
  public List<Cluster> clusters() {
    return transactions.call(clusters::all);
  }

  @Override
  public Connection connection(ClusterId id) {
    String stored = transactions.call(() -> clusters.connection(id));
    return seal.open(id, stored);
  }

  @Override
  public void remove(Cluster cluster) {
    changeFleet(() -> {
      try {
        nodes.remove(cluster.id());
      } catch (DataIntegrityViolationException e) {
        throw Constraints.refusedReference(e)
            ? new Conflict(Conflict.Guard.REFERENCED, cluster.name())
            : e;
      }
      clusters.remove(cluster);
      changes.note(Change.INVENTORY);
    });
  }

  @Override
  public Optional<String> nameOf(ClusterId id) {
    return transactions.call(() -> clusters.name(id));
  }

  /**
   * Reads the rows without a lock first: most reports change few nodes, and only those are locked
   * and decided on again.
   */
  @Override
  public int report(ClusterId cluster, List<NodeReport> reports) {
    return transactions.forAllTenants(() -> {
      Reported reported = reported(cluster);
      List<Node> rows = nodes.nodes(cluster);
      SortedMap<String, NodeReport> differing = new TreeMap<>();
      reports.forEach(report -> differing.put(report.name(), report));
      List<UUID> changed = new ArrayList<>();
      for (Node row : rows) {
        if (reported.next(row, differing.get(row.name())).equals(row)) {
          differing.remove(row.name());
        } else {
          changed.add(row.id().value());
        }
      }
      return changed.isEmpty() && differing.isEmpty()
          ? 0
          : written(
              cluster, nodes.lock(cluster, changed, List.copyOf(differing.keySet())), differing);
    });
  }

  /** Decides on locked rows. Reported nodes with other names are new here or returning. */
  private int written(ClusterId cluster, List<Node> locked, SortedMap<String, NodeReport> reports) {
    Reported reported = reported(cluster);
    SortedMap<String, NodeReport> unknown = new TreeMap<>(reports);
    List<Node> changed = new ArrayList<>();
    List<FleetFact> facts = new ArrayList<>();
    for (Node row : locked) {
      Node next = reported.next(row, unknown.remove(row.name()));
      if (!next.equals(row)) {
        changed.add(next);
        facts.addAll(NodeFacts.of(row, next, row.version() + 1));
      }
    }
    unknown.values().removeIf(NodeReport::machineGone);
    List<UUID> back = new ArrayList<>();
    if (!unknown.isEmpty()) {
      for (Node row : nodes.left(cluster, List.copyOf(unknown.keySet()))) {
        Node next = reported.next(row, unknown.remove(row.name()));
        changed.add(next);
        back.add(row.id().value());
        facts.addAll(NodeFacts.of(row, next, row.version() + 1));
      }
    }
    for (NodeReport report : unknown.values()) {
      NodeId id = new NodeId(ids.next());
      Node fresh =
          NodeTransition.fresh(id, cluster, report, reported.quarantined().gpus()::contains);
      changed.add(reported.pooled(fresh));
      NodeFacts.appeared(fresh).ifPresent(facts::add);
    }
    if (!changed.isEmpty()) {
      nodes.write(changed);
      changes.note(Change.INVENTORY);
    }
    if (!back.isEmpty()) {
      nodes.bringBack(back);
    }
    events.append(cluster, REPORTS, facts);
    return changed.size();
  }

  private Reported reported(ClusterId cluster) {
    SortedMap<String, Cordon> cordons = new TreeMap<>();
    nodes.cordons(cluster).forEach(n -> cordons.put(n.name(), n.cordon()));
    return new Reported(
        clusters.name(cluster).orElse(""), cordons, nodes.quarantined(cluster), nodes.assignment());
  }

  /** Inputs of a node's next row other than its row and its report. */
  private record Reported(
      String cluster,
      SortedMap<String, Cordon> cordons,
      NodeTable.Quarantined quarantined,
      PoolAssignment pools) {
    /** The row after the report, null for a node that its cluster does not list. */
    Node next(Node row, @Nullable NodeReport report) {
      return report == null
          ? NodeTransition.gone(row)
          : pooled(
              NodeTransition.reported(
                  row,
                  report,
                  cordons.getOrDefault(row.name(), Cordon.NONE),
                  quarantined.nodes().contains(row.id().value()),
                  quarantined.gpus()::contains));
    }

    Node pooled(Node node) {
      return node.in(pools.of(cluster, node));
    }
  }

  @Override
  public int assign(List<Pool> all) {
    return transactions.forAllTenants(() -> {
      PoolAssignment pools = nodes.assignment(all);
      Map<ClusterId, String> names = new TreeMap<>();
      clusters.all().forEach(cluster -> names.put(cluster.id(), cluster.name()));
      List<Node> changed = new ArrayList<>();
      for (Node row : nodes.nodes(null)) {
        Node next = row.in(pools.of(names.getOrDefault(row.cluster(), ""), row));
        if (!next.equals(row)) {
          changed.add(next);
        }
      }
      if (!changed.isEmpty()) {
        nodes.assign(changed);
        changes.note(Change.INVENTORY);
      }
      return changed.size();
    });
  }

  @Override
  public SortedMap<NodeId, String> busyIn(ClusterId cluster, Collection<String> names) {
    return transactions.call(() -> nodes.busyIn(cluster, names));
  }

  @Override
  public SortedSet<NodeId> busy(ClusterId cluster) {
    return transactions.call(() -> nodes.busy(cluster));
  }

  @Override
  public SortedMap<NodeId, Long> pods(Set<NodeId> ids) {
    return transactions.call(() -> nodes.pods(ids.stream().map(NodeId::value).toList()));
  }

  @Override
  public SortedMap<String, Instant> shownSince(ClusterId cluster, Collection<String> names) {
    return transactions.call(() -> nodes.shownSince(cluster, names));
  }

  @Override
  public Optional<Node> order(NodeId id, NodeOrder order) {
    return transactions.forAllTenants(() -> {
      order(List.of(id), order);
      return node(id);
    });
  }

  @Override
  public void order(Collection<NodeId> all, NodeOrder order) {
    changeFleet(() -> {
      SortedMap<ClusterId, List<FleetFact>> facts = new TreeMap<>();
      if (nodes.order(all, order, facts)) {
        changes.note(Change.INVENTORY);
      }
      facts.forEach((cluster, its) -> events.append(cluster, ORDERS, its));
    });
  }

  @Override
  public void quarantine(NodeId node, String gpu) {
    changeFleet(() -> {
      if (nodes.quarantine(node, gpu)) {
        changes.note(Change.INVENTORY);
      }
    });
  }

  @Override
  public Optional<Cordon> lockedCordon(NodeId id) {
    return transactions.forAllTenants(() -> nodes.lockedCordon(id));
  }

  @Override
  public List<CordonedNode> cordons(ClusterId cluster) {
    return transactions.call(() -> nodes.cordons(cluster));
  }

  @Override
  public Optional<Node> node(NodeId id) {
    return transactions.call(() -> nodes.node(id)).stream().findFirst();
  }

  @Override
  public List<Node> inService(Set<NodeId> ids) {
    return transactions.call(() -> nodes.inService(ids.stream().map(NodeId::value).toList()));
  }

  @Override
  public List<Node> named(ClusterId cluster, Collection<String> names) {
    return transactions.call(() -> nodes.named(cluster, names));
  }

  @Override
  public List<Node> named(Collection<String> names) {
    return transactions.call(() -> nodes.named(names));
  }

  @Override
  public List<Node> page(NodePage page) {
    return transactions.call(() -> nodes.page(page));
  }

  @Override
  public FleetSize size(ClusterId cluster) {
    return transactions.call(() -> nodes.size(cluster));
  }

  @Override
  public SortedMap<ClusterId, FleetSize> sizes() {
    return transactions.call(nodes::sizes);
  }

  @Override
  public synchronized FleetSource.Fleet fleet() {
    return transactions.read(() -> new FleetSource.Fleet(clusters.all(), cache.nodes()));
  }

  @Override
  public List<Node> nodes(@Nullable ClusterId cluster) {
    return transactions.call(() -> nodes.nodes(cluster));
  }
}
