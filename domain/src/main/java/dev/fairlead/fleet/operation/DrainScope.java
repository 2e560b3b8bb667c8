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
 * What is being emptied of one cluster.
 *
 * @param all whether the whole cluster is
 * @param nodes single nodes, whatever the cluster
 * @param allStops when the whole cluster is to be empty, whatever may be preempted; null for never
 * @param nodeStops the same of single nodes
 * @param closed nodes that are closed without an order, with what closes them
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

  /** What the running ones of the operations say about the cluster. */
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

  /** The same beside nodes that are closed without an order. */
  public DrainScope with(SortedMap<NodeId, List<ClosedBy>> others) {
    return new DrainScope(all, nodes, allStops, nodeStops, others);
  }

  /** Whether an operation empties it, whatever the windows of its pool. */
  public boolean ordered(NodeId node) {
    return all || nodes.contains(node);
  }

  /** When what is left on the node is stopped, whatever may be preempted; null for never. */
  public @Nullable Instant stopsAt(NodeId node) {
    Instant stops = nodeStops.get(node);
    return stops == null || allStops != null && allStops.isBefore(stops) ? allStops : stops;
  }

  /** Whether nothing new comes to the node: on a booked one, jobs of the project do. */
  public boolean covers(NodeId node) {
    return ordered(node)
        || closed.getOrDefault(node, List.of()).stream()
            .anyMatch(ClosedBy.Windows.class::isInstance);
  }
}
