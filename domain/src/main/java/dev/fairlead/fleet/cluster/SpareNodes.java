package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodeId;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.NodeState;
import dev.fairlead.fleet.node.gpu.Gpu;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Selects the nodes that are spares now. The selection depends only on free nodes: a node that
 * becomes free is a spare while there are too few. Spares are therefore refilled without stored
 * state.
 */
public final class SpareNodes {
  private SpareNodes() {}

  /**
   * Returns the spares among the nodes of one pool on one cluster and of one capacity type: the
   * last nodes by name that are whole and empty.
   *
   * @param kept whether capacity of the node is reserved for a job
   */
  public static List<Node> of(Collection<Node> nodes, Predicate<NodeId> kept) {
    List<Node> own =
        nodes.stream()
            .filter(node -> node.state() != NodeState.RETIRED && !node.gpus().isEmpty())
            .toList();
    NodePool pool = own.isEmpty() ? null : own.getFirst().pool();
    int wanted = pool == null ? 0 : pool.spares().of(own.size());
    if (wanted == 0) {
      return List.of();
    }
    List<Node> empty = new ArrayList<>(own);
    empty.removeIf(node -> !empty(node) || kept.test(node.id()));
    empty.sort(Comparator.comparing(Node::name).reversed());
    return List.copyOf(empty.subList(0, Math.min(wanted, empty.size())));
  }

  /** Returns the spares of a whole fleet. */
  public static List<Node> all(
      Collection<Cluster> clusters, Collection<Node> nodes, Predicate<NodeId> kept) {
    List<Node> spares = new ArrayList<>();
    for (Cluster cluster : clusters) {
      nodes.stream()
          .filter(node -> node.cluster().equals(cluster.id()))
          .filter(node -> node.pool() != null && !node.pool().spares().none())
          .collect(
              Collectors.groupingBy(
                  node -> node.pool() + " " + cluster.capacityOf(node),
                  TreeMap::new,
                  Collectors.toList()))
          .values()
          .forEach(part -> spares.addAll(of(part, kept)));
    }
    return spares;
  }

  private static boolean empty(Node node) {
    return node.state() == NodeState.ACTIVE
        && node.foreign().gpuMilli() == 0
        && node.allocated().pods() == 0
        && node.gpus().stream().allMatch(gpu -> gpu.freeMilli() == Gpu.WHOLE_MILLI);
  }
}
