package dev.fairlead.operation;

import dev.fairlead.identity.ClusterId;
import dev.fairlead.node.NodeId;
import dev.fairlead.node.NodePool;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is being emptied of one cluster.
 *
 * @param all whether the whole cluster is
 * @param nodes single nodes, whatever the cluster
 * @param closed nodes whose pool has closed, with that pool: work leaves that it was open to
 */
public record DrainScope(boolean all, SortedSet<NodeId> nodes, SortedMap<NodeId, NodePool> closed) {
  public static final DrainScope NOTHING =
      new DrainScope(false, Collections.emptySortedSet(), Collections.emptySortedMap());

  public DrainScope {
    nodes = Collections.unmodifiableSortedSet(new TreeSet<>(nodes));
    closed = Collections.unmodifiableSortedMap(new TreeMap<>(closed));
  }

  /** What the running ones of the operations say about the cluster. */
  public static DrainScope of(ClusterId cluster, Collection<Operation> operations) {
    boolean all = false;
    SortedSet<NodeId> nodes = new TreeSet<>();
    for (Operation operation : operations) {
      if (!operation.ended() && operation.cluster().equals(cluster)) {
        NodeId node = operation.node();
        if (node == null) {
          all = true;
        } else {
          nodes.add(node);
        }
      }
    }
    return new DrainScope(all, nodes, Collections.emptySortedMap());
  }

  /** The same beside nodes whose pool has closed. */
  public DrainScope with(SortedMap<NodeId, NodePool> others) {
    return new DrainScope(all, nodes, others);
  }

  /** Whether an operation empties it, whatever the windows of its pool. */
  public boolean ordered(NodeId node) {
    return all || nodes.contains(node);
  }

  public boolean covers(NodeId node) {
    return ordered(node) || closed.containsKey(node);
  }
}
