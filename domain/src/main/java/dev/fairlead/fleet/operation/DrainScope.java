package dev.fairlead.fleet.operation;

import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.kernel.identity.ClusterId;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one cluster that are being emptied.
 *
 * @param all whether the whole cluster is
 * @param nodes single nodes of any cluster
 * @param allStops time when the whole cluster must be empty and non-preemptible work stops too,
 *     null for never
 * @param nodeStops the same for single nodes
 * @param closed nodes that are closed without an order, with the reasons
 */
public record DrainScope(
    boolean all,
    SortedSet<NodeId> nodes,
    @Nullable Instant allStops,
    SortedMap<NodeId, Instant> nodeStops,
    SortedMap<NodeId, List<ClosedBy>> closed) {
  public static final DrainScope NOTHING =
      new DrainScope(
          false,
          Collections.emptySortedSet(),
          null,
          Collections.emptySortedMap(),
          Collections.emptySortedMap());

  public DrainScope {
    nodes = Collections.unmodifiableSortedSet(new TreeSet<>(nodes));
    nodeStops = Collections.unmodifiableSortedMap(new TreeMap<>(nodeStops));
    closed = Collections.unmodifiableSortedMap(new TreeMap<>(closed));
  }

  /** Returns the scope of the running operations on the cluster. */
  public static DrainScope of(ClusterId cluster, Collection<Operation> operations) {
    boolean all = false;
    Instant allStops = null;
    SortedSet<NodeId> nodes = new TreeSet<>();
    SortedMap<NodeId, Instant> nodeStops = new TreeMap<>();
    for (Operation operation : operations) {
      if (!operation.ended() && operation.cluster().equals(cluster)) {
        NodeId node = operation.node();
        DrainDeadline deadline = operation.deadline();
        Instant stops = deadline != null && deadline.stops() ? deadline.at() : null;
        if (node == null) {
          all = true;
          allStops = stops;
        } else {
          nodes.add(node);
          if (stops != null) {
            nodeStops.put(node, stops);
          }
        }
      }
    }
    return new DrainScope(all, nodes, allStops, nodeStops, Collections.emptySortedMap());
  }

  /** Adds nodes that are closed without an order. */
  public DrainScope with(SortedMap<NodeId, List<ClosedBy>> others) {
    return new DrainScope(all, nodes, allStops, nodeStops, others);
  }

  /** Returns whether an operation empties the node, regardless of the windows of its pool. */
  public boolean ordered(NodeId node) {
    return all || nodes.contains(node);
  }

  /**
   * Returns when remaining work on the node is stopped, even if it is not preemptible, null for
   * never.
   */
  public @Nullable Instant stopsAt(NodeId node) {
    Instant stops = nodeStops.get(node);
    return stops == null || allStops != null && allStops.isBefore(stops) ? allStops : stops;
  }

  /**
   * Returns whether no new member may start on the node. On a reserved node, jobs of the advance
   * reservation's project may.
   */
  public boolean covers(NodeId node) {
    return ordered(node)
        || closed.getOrDefault(node, List.of()).stream()
            .anyMatch(ClosedBy.Windows.class::isInstance);
  }
}
