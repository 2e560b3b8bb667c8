package dev.fairlead.cluster.postgres;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterId;
import dev.fairlead.cluster.Connection;
import dev.fairlead.cluster.Cordon;
import dev.fairlead.cluster.CordonedNode;
import dev.fairlead.cluster.InventoryStore;
import dev.fairlead.cluster.Node;
import dev.fairlead.cluster.NodeId;
import dev.fairlead.cluster.NodeOrder;
import dev.fairlead.cluster.NodeReport;
import dev.fairlead.identity.IdSource;
import dev.fairlead.postgres.Change;
import dev.fairlead.postgres.Changes;
import dev.fairlead.transaction.Transactions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** {@link InventoryStore} on PostgreSQL. */
@Component
class PostgresInventoryStore implements InventoryStore {
  private final Transactions transactions;
  private final ClusterTable clusters;
  private final NodeTable nodes;
  private final ConnectionSeal seal;
  private final IdSource ids;
  private final Changes changes;

  PostgresInventoryStore(
      Transactions transactions,
      ClusterTable clusters,
      NodeTable nodes,
      ConnectionSeal seal,
      IdSource ids,
      Changes changes) {
    this.transactions = transactions;
    this.clusters = clusters;
    this.nodes = nodes;
    this.seal = seal;
    this.ids = ids;
    this.changes = changes;
  }

  @Override
  public void insert(Cluster cluster, Connection connection) {
    String stored = seal.seal(cluster.id(), connection);
    transactions.run(() -> {
      clusters.insert(cluster, stored);
      changes.note(Change.INVENTORY);
    });
  }

  @Override
  public void update(Cluster cluster) {
    transactions.run(() -> {
      clusters.update(cluster);
      changes.note(Change.INVENTORY);
    });
  }

  @Override
  public void configure(Cluster cluster, @Nullable Connection connection) {
    String stored = connection == null ? null : seal.seal(cluster.id(), connection);
    transactions.run(() -> {
      clusters.configure(cluster, stored);
      changes.note(Change.INVENTORY);
    });
  }

  @Override
  public void seen(ClusterId cluster, Instant at) {
    transactions.run(() -> clusters.seen(cluster, at));
  }

  @Override
  public Optional<Cluster> cluster(ClusterId id) {
    return transactions.call(() -> clusters.find("c.id", id.value()).map(ClusterRows::cluster));
  }

  @Override
  public Optional<Cluster> clusterNamed(String name) {
    return transactions.call(() -> clusters.find("c.name", name).map(ClusterRows::cluster));
  }

  @Override
  public List<Cluster> clusters() {
    return transactions.call(clusters::all);
  }

  @Override
  public Connection connection(ClusterId id) {
    String stored =
        transactions.call(() -> clusters.find("c.id", id.value()).orElseThrow().connection);
    return seal.open(id, stored);
  }

  @Override
  public int report(ClusterId cluster, List<NodeReport> reports) {
    return transactions.call(() -> {
      List<Node> rows = nodes.lock(cluster);
      List<Node> changed = changed(cluster, rows, nodes.cordons(cluster), reports);
      if (!changed.isEmpty()) {
        nodes.write(changed);
        changes.note(Change.INVENTORY);
      }
      return changed.size();
    });
  }

  private List<Node> changed(
      ClusterId cluster, List<Node> rows, List<CordonedNode> cordoned, List<NodeReport> reports) {
    SortedMap<String, Cordon> cordons = new TreeMap<>();
    cordoned.forEach(n -> cordons.put(n.name(), n.cordon()));
    SortedMap<String, Node> known = new TreeMap<>();
    rows.forEach(row -> known.put(row.name(), row));
    List<Node> changed = new ArrayList<>();
    for (NodeReport report : reports) {
      Node row = known.remove(report.name());
      if (row != null) {
        Cordon cordon = cordons.getOrDefault(row.name(), Cordon.NONE);
        add(changed, row, NodeFold.reported(row, report, cordon));
      } else if (!report.machineGone()) {
        changed.add(NodeFold.fresh(new NodeId(ids.next()), cluster, report));
      }
    }
    known.values().forEach(row -> add(changed, row, NodeFold.gone(row)));
    return changed;
  }

  private static void add(List<Node> changed, Node row, Node next) {
    if (!next.equals(row)) {
      changed.add(next);
    }
  }

  @Override
  public Optional<Node> order(NodeId id, NodeOrder order) {
    return transactions.call(() -> {
      if (nodes.order(id, order)) {
        changes.note(Change.INVENTORY);
      }
      return node(id);
    });
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
  public List<Node> nodes(@Nullable ClusterId cluster) {
    return transactions.call(() -> nodes.nodes(cluster));
  }
}
