package dev.fairlead.cluster.service;

import dev.fairlead.cluster.Cluster;
import dev.fairlead.node.Node;
import java.util.List;

/** A cluster with its size: nodes that are not retired, GPUs on them. */
public record ClusterView(Cluster cluster, int nodes, int gpus) {
  /**
   * @param nodes of whatever clusters
   */
  static ClusterView of(Cluster cluster, List<Node> nodes) {
    List<Node> own = nodes.stream().filter(n -> n.cluster().equals(cluster.id())).toList();
    return new ClusterView(cluster, own.size(), own.stream().mapToInt(n -> n.gpus().size()).sum());
  }
}
