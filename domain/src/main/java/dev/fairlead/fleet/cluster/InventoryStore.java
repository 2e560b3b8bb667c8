package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.Cordon;
import dev.fairlead.fleet.node.CordonedNode;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodeOrder;
import dev.fairlead.fleet.node.NodeReport;
import dev.fairlead.fleet.node.Pool;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** Clusters, nodes and GPUs. What attempts hold is written by the job store alone. */
public interface InventoryStore {
  /**
   * @throws dev.fairlead.kernel.transaction.Conflict NAME_TAKEN when a cluster of that name exists
   */
  void insert(Cluster cluster, Connection connection);

  /** Writes state, capabilities, contact and trouble; guarded by {@code version - 1}. */
  void update(Cluster cluster);

  /**
   * Writes what an operator says of it (capacity type, prices, settings); guarded by {@code version
   * - 1}.
   *
   * @param connection takes the place of the one before; null to keep it
   */
  void configure(Cluster cluster, @Nullable Connection connection);

  /** Notes a contact without a new version, so that it wakes nobody. */
  void seen(ClusterId cluster, Instant at);

  Optional<Cluster> cluster(ClusterId id);

  Optional<Cluster> clusterNamed(String name);

  /** By name. */
  List<Cluster> clusters();

  /**
   * How to reach the cluster.
   *
   * @throws IllegalStateException when it does not open with the keys of this process
   */
  Connection connection(ClusterId id);

  /**
   * Removes the cluster at this version, its connection and its nodes, retired ones too. Its name
   * stays known as {@link #nameOf} and is free for another cluster.
   *
   * @throws dev.fairlead.kernel.transaction.Conflict VERSION, or REFERENCED when an attempt holds
   *     something there
   */
  void remove(Cluster cluster);

  /** Name of a cluster, of a removed one too. */
  Optional<String> nameOf(ClusterId id);

  /**
   * Writes what the cluster reports: new nodes are inserted, changed ones updated, those not in the
   * list retired. Nodes in {@code DRAINING} or {@code QUARANTINED} keep their state, and one that
   * is cordoned here is not made {@code ACTIVE}. Each belongs to the stored pool that has it.
   * Returns how many rows changed.
   */
  int report(ClusterId cluster, List<NodeReport> nodes);

  /**
   * Writes to which of these pools each node belongs now. Reports that follow keep to the pools
   * that are stored. Returns how many rows changed.
   */
  int assign(List<Pool> pools);

  /**
   * Nodes of the cluster that hold work and belong to one of these pools, with its name. Retired
   * ones too: one that its cluster does not show may still run it.
   *
   * @param pools names
   */
  SortedMap<NodeId, String> busyIn(ClusterId cluster, Collection<String> pools);

  /** As {@link #busyIn}, of any pool and of none. */
  SortedSet<NodeId> busy(ClusterId cluster);

  /**
   * How many pods of live attempts those of the nodes hold that hold some. Retired ones too: one
   * that its cluster does not show may still run them.
   */
  SortedMap<NodeId, Long> pods(Set<NodeId> nodes);

  /**
   * Since when the cluster has shown nodes of these names, as far as that is known; without those
   * that it does not show.
   */
  SortedMap<String, Instant> shownSince(ClusterId cluster, Collection<String> names);

  /** Carries an order out on the row; the node as it is then, empty when there is none. */
  Optional<Node> order(NodeId node, NodeOrder order);

  /** The same for all of these at once, in as few steps for thousands as for one. */
  void order(Collection<NodeId> nodes, NodeOrder order);

  /**
   * Whether an operator keeps it out of use; in the open transaction that does not change any more.
   * Empty when there is no such node.
   */
  Optional<Cordon> lockedCordon(NodeId node);

  /** Nodes of the cluster whose cordon is not {@code NONE}, retired ones too; by id. */
  List<CordonedNode> cordons(ClusterId cluster);

  Optional<Node> node(NodeId id);

  /** Those of the ids that are not retired, in no order. */
  List<Node> inService(Set<NodeId> ids);

  /**
   * Clusters and nodes of one moment, retired nodes left out. Costs what changed since the last
   * call, so it may be asked often.
   */
  FleetSource.Fleet fleet();

  /** Nodes of the cluster that have one of the names, retired ones left out; by name. */
  List<Node> named(ClusterId cluster, Collection<String> names);

  /**
   * Nodes of any cluster that have one of the names, retired ones left out; by cluster and name.
   */
  List<Node> named(Collection<String> names);

  /** The nodes of one page. */
  List<Node> page(NodePage page);

  /** Size of the cluster, counted without reading its nodes. */
  FleetSize size(ClusterId cluster);

  /** Size of each cluster that has nodes. */
  SortedMap<ClusterId, FleetSize> sizes();

  /**
   * All nodes, by cluster, then name; {@code cluster} null for all; retired nodes left out. Reads
   * every row, so a request that names or lists nodes takes {@link #named} or {@link #page}.
   */
  List<Node> nodes(@Nullable ClusterId cluster);
}
