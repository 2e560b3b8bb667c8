package dev.fairlead.fleet.cluster.service;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.fleet.node.pool.Pool;
import dev.fairlead.kernel.identity.ClusterId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A pool with its size.
 *
 * @param tenant name of its owner, null for a shared pool
 * @param nodes number of its nodes that are not retired
 * @param spares number of current spare nodes
 * @param elsewhere number of nodes that it selects but that belong to a pool of higher precedence,
 *     limited to pools that the reader may see
 */
public record PoolView(
    Pool pool,
    @Nullable String tenant,
    int nodes,
    int gpus,
    int spares,
    int elsewhere,
    List<String> warnings) {
  public PoolView {
    warnings = List.copyOf(warnings);
  }

  static PoolView of(
      Pool pool,
      @Nullable String tenant,
      List<Cluster> clusters,
      List<Node> fleet,
      List<Node> allSpares) {
    Map<ClusterId, String> names = new TreeMap<>();
    clusters.forEach(cluster -> names.put(cluster.id(), cluster.name()));
    int nodes = 0;
    int gpus = 0;
    int elsewhere = 0;
    for (Node node : fleet) {
      NodePool its = node.pool();
      if (its != null && its.name().equals(pool.name())) {
        nodes++;
        gpus += node.gpus().size();
      } else if (pool.selector().selects(names.getOrDefault(node.cluster(), ""), node)) {
        elsewhere++;
      }
    }
    long spares =
        allSpares.stream()
            .map(Node::pool)
            .filter(its -> its != null && its.name().equals(pool.name()))
            .count();
    return new PoolView(
        pool, tenant, nodes, gpus, (int) spares, elsewhere, warnings(pool, nodes, elsewhere));
  }

  /** Returns the view with more warnings. */
  PoolView warned(List<String> more) {
    List<String> all = new ArrayList<>(warnings);
    all.addAll(more);
    return new PoolView(pool, tenant, nodes, gpus, spares, elsewhere, all);
  }

  private static List<String> warnings(Pool pool, int nodes, int elsewhere) {
    List<String> warnings = new ArrayList<>();
    if (nodes == 0) {
      warnings.add(
          "pool %s has no nodes: %s"
              .formatted(
                  pool.name(),
                  elsewhere == 0
                      ? "its selector matches no node available to it. Compare it with the labels of the nodes"
                      : "all %d that its selector matches belong to other pools"
                          .formatted(elsewhere)));
    } else if (elsewhere > 0) {
      warnings.add(
          "%d more nodes match the selector of pool %s and belong to other pools"
              .formatted(elsewhere, pool.name()));
    }
    return warnings;
  }
}
