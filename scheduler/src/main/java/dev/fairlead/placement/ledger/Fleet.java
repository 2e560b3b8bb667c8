package dev.fairlead.placement.ledger;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.cluster.ClusterId;
import dev.fairlead.cluster.Node;
import dev.fairlead.cluster.NodeState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The working copy of all clusters. Rows that contradict each other are planned around: of two clusters of one name, or
 * two nodes of one name in a cluster, the newer version counts; nodes of a cluster that is not there do not.
 */
public final class Fleet {
  private final List<ClusterRoom> clusters;

  private Fleet(List<ClusterRoom> clusters) {
    this.clusters = clusters;
  }

  public static Fleet of(Collection<Cluster> clusters, Collection<Node> nodes) {
    SortedMap<String, Cluster> byName = new TreeMap<>();
    for (Cluster cluster : clusters) {
      byName.merge(
          cluster.name(), cluster, (a, b) -> newer(a, b, Comparator.comparingLong(Cluster::version)));
    }
    SortedMap<ClusterId, SortedMap<String, Node>> nodesOf = new TreeMap<>();
    for (Node node : nodes) {
      if (node.state() != NodeState.RETIRED) {
        nodesOf
            .computeIfAbsent(node.cluster(), c -> new TreeMap<>())
            .merge(node.name(), node, (a, b) -> newer(a, b, Comparator.comparingLong(Node::version)));
      }
    }
    List<ClusterRoom> rooms = new ArrayList<>();
    for (Cluster cluster : byName.values()) {
      SortedMap<String, Node> own = nodesOf.getOrDefault(cluster.id(), new TreeMap<>());
      rooms.add(new ClusterRoom(cluster, new ArrayList<>(own.values())));
    }
    return new Fleet(rooms);
  }

  private static <T> T newer(T a, T b, Comparator<T> byVersion) {
    return byVersion.thenComparing(Object::toString).compare(a, b) >= 0 ? a : b;
  }

  /** By name. */
  public List<ClusterRoom> clusters() {
    return clusters;
  }
}
