package dev.fairlead.work.placement.ledger;

import dev.fairlead.fleet.cluster.Cluster;
import dev.fairlead.fleet.node.Node;
import dev.fairlead.fleet.node.NodePool;
import dev.fairlead.kernel.identity.ClusterId;
import dev.fairlead.kernel.resources.CapacityType;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Nodes of a cluster that belong to one pool, or to none, and have one capacity type.
 *
 * @param cluster name of the cluster
 * @param pool null for nodes of no pool, which come first
 */
public record ClusterPart(
    String cluster, ClusterId id, @Nullable NodePool pool, CapacityType capacity)
    implements Comparable<ClusterPart> {
  private static final Comparator<ClusterPart> ORDER =
      Comparator.comparing(ClusterPart::cluster)
          .thenComparing(ClusterPart::id)
          .thenComparing(ClusterPart::poolName)
          .thenComparing(ClusterPart::owner)
          .thenComparing(ClusterPart::capacity);

  static ClusterPart of(Cluster cluster, Node node) {
    return new ClusterPart(cluster.name(), cluster.id(), node.pool(), cluster.capacityOf(node));
  }

  /** Returns the part of a cluster without nodes. */
  static ClusterPart of(Cluster cluster) {
    return new ClusterPart(cluster.name(), cluster.id(), null, cluster.capacity());
  }

  private String poolName() {
    return pool == null ? "" : pool.name();
  }

  private String owner() {
    return pool == null || pool.tenant() == null ? "" : pool.tenant().text();
  }

  @Override
  public int compareTo(ClusterPart other) {
    return ORDER.compare(this, other);
  }
}
