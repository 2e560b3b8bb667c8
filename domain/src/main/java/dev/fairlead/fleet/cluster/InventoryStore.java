package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.cluster.connection.Connection;
import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.CordonedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** Stores clusters, nodes and GPUs. Allocations of attempts are written only by the job store. */
public interface InventoryStore {
  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN if a cluster of that name exists
   */
  void insert(Cluster cluster, Connection connection);

  /** Writes state, capabilities, contact and trouble. Guarded by {@code version - 1}. */
  void update(Cluster cluster);

  /**
   * Writes the configuration by an operator (capacity type, prices, settings). Guarded by {@code
   * version - 1}.
   *
   * @param connection replaces the current connection, null to retain it
   */
  void configure(Cluster cluster, @Nullable Connection connection);

  /** Records a contact without a new version, so that no watcher is notified. */
  void seen(ClusterId cluster, Instant at);

  Optional<Cluster> cluster(ClusterId id);

  Optional<Cluster> clusterNamed(String name);

  /** Returns the clusters by name. */
  List<Cluster> clusters();

  /**
   * Returns the connection to the cluster.
   *
   * @throws IllegalStateException if the keys of this process cannot decrypt it
   */
  Connection connection(ClusterId id);

  /**
   * Removes the cluster at this version, its connection and its nodes, including retired ones.
   * {@link #nameOf} still returns its name, and another cluster may use it.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION, or REFERENCED if an attempt has an
   *     allocation on it
   */
  void remove(Cluster cluster);

  /** Returns the name of a cluster, even after its removal. */
  Optional<String> nameOf(ClusterId id);

  /**
   * Writes the report of the cluster: inserts new nodes, updates changed ones and retires missing
   * ones. Nodes in {@code DRAINING} or {@code QUARANTINED} retain their state, and a node that is
   * cordoned in Fairlead does not become {@code ACTIVE}. A GPU with an active quarantine remains
   * {@code QUARANTINED}. Each node belongs to the stored pool that contains it. Returns how many
   * rows changed.
   */
  int report(ClusterId cluster, List<NodeReport> nodes);

  /**
   * Writes the pool of each node according to these pools. Later reports use the stored pools.
   * Returns how many rows changed.
   */
  int assign(List<Pool> pools);

  /**
   * Returns the nodes of the cluster with allocations in these pools, with their pool's name.
   * Retired nodes are included, because a node that its cluster does not show may still run work.
   *
   * @param pools names
   */
  SortedMap<NodeId, String> busyIn(ClusterId cluster, Collection<String> pools);

  /** Returns nodes like {@link #busyIn}, of any pool and of none. */
  SortedSet<NodeId> busy(ClusterId cluster);

  /**
   * Returns the number of pods of live attempts on each of the nodes that has any. Retired nodes
   * are included, because a node that its cluster does not show may still run them.
   */
  SortedMap<NodeId, Long> pods(Set<NodeId> nodes);

  /**
   * Returns since when the cluster has shown nodes of these names, if known. Nodes that it does not
   * show are omitted.
   */
  SortedMap<String, Instant> shownSince(ClusterId cluster, Collection<String> names);

  /** Applies an order to the row and returns the changed node, empty if it does not exist. */
  Optional<Node> order(NodeId node, NodeOrder order);

  /**
   * Applies the order to all these nodes, with a number of statements that does not depend on the
   * number of nodes.
   */
  void order(Collection<NodeId> nodes, NodeOrder order);

  /**
   * Takes one device of the node out of service. The first report after the end of its quarantine
   * returns it.
   *
   * @param gpu UUID, the serial of its slot. Without such a slot nothing changes
   */
  void quarantine(NodeId node, String gpu);

  /**
   * Returns the cordon of the node and locks it for the open transaction. The result is empty if
   * the node does not exist.
   */
  Optional<Cordon> lockedCordon(NodeId node);

  /**
   * Returns the nodes of the cluster with a cordon other than {@code NONE}, including retired ones,
   * by id.
   */
  List<CordonedNode> cordons(ClusterId cluster);

  Optional<Node> node(NodeId id);

  /** Returns the nodes with these ids that are not retired, unordered. */
  List<Node> inService(Set<NodeId> ids);

  /**
   * Returns clusters and nodes at one moment, without retired nodes. The cost depends on the
   * changes since the last call, so frequent calls are cheap.
   */
  FleetSource.Fleet fleet();

  /** Returns the nodes of the cluster with these names, without retired ones, by name. */
  List<Node> named(ClusterId cluster, Collection<String> names);

  /**
   * Returns the nodes of any cluster with these names, without retired ones, by cluster and name.
   */
  List<Node> named(Collection<String> names);

  List<Node> page(NodePage page);

  /** Returns the size of the cluster, counted without reading its nodes. */
  FleetSize size(ClusterId cluster);

  /** Returns the size of each cluster that has nodes. */
  SortedMap<ClusterId, FleetSize> sizes();

  /**
   * Returns all nodes by cluster, then name, without retired nodes. A null {@code cluster} means
   * all clusters. Reads every row, so requests that name or list nodes use {@link #named} or {@link
   * #page}.
   */
  List<Node> nodes(@Nullable ClusterId cluster);
}
