package dev.fairlead.work.serving.spread;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.cluster.ClusterState;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The order of clusters for a replica. Clusters with the fewest replicas of its version come first,
 * so that the loss of a cluster costs as few replicas as possible. Between clusters with equal
 * numbers, the order of the job and then the lower price decide. The scheduler takes the first
 * cluster with enough quota, healthy nodes and an open window.
 */
public final class ClusterOrder {
  private ClusterOrder() {}

  /**
   * Names of clusters. Empty if there is no choice, so that the job has no order on one cluster.
   *
   * @param named clusters that the job names, empty for all
   * @param replicas of the version that do not leave, by the name of their cluster
   */
  public static List<String> of(
      List<String> named, Collection<Cluster> clusters, Map<String, Integer> replicas) {
    List<String> order =
        clusters.stream()
            .filter(each -> named.isEmpty() || named.contains(each.name()))
            .filter(each -> each.state() == ClusterState.ACTIVE)
            .sorted(
                Comparator.comparing((Cluster each) -> replicas.getOrDefault(each.name(), 0))
                    .thenComparing(each -> named.indexOf(each.name()))
                    .thenComparing(ClusterOrder::price)
                    .thenComparing(Cluster::name))
            .map(Cluster::name)
            .toList();
    return order.size() < 2 ? List.of() : order;
  }

  /** The lowest price of a GPU. A cluster without prices is tried last. */
  private static long price(Cluster cluster) {
    return cluster.pricePerGpuHour().values().stream()
        .mapToLong(Long::longValue)
        .min()
        .orElse(Long.MAX_VALUE);
  }
}
