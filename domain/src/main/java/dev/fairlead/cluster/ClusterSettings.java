package dev.fairlead.cluster;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an operator says of a cluster.
 *
 * @param topologyLabels node labels that name topology domains, widest first; empty for those of
 *     the configuration
 * @param pinning how pods get to the node that was planned for them
 * @param rdmaResource name under which its nodes offer a fabric, such as {@code rdma/hca}; null for
 *     a cluster without
 */
public record ClusterSettings(
    List<String> topologyLabels, Pinning pinning, @Nullable String rdmaResource) {
  public static final ClusterSettings DEFAULT =
      new ClusterSettings(List.of(), Pinning.DIRECT, null);

  /** How pods get to their node. */
  public enum Pinning {
    /** Bound when they are created; the cluster's scheduler has no say. */
    DIRECT,
    /** Bound by the cluster's scheduler, which may choose this one node only. */
    SCHEDULER
  }

  public ClusterSettings {
    topologyLabels = List.copyOf(topologyLabels);
  }

  /** The same with pods pinned in this way. */
  public ClusterSettings pinned(Pinning other) {
    return new ClusterSettings(topologyLabels, other, rdmaResource);
  }
}
