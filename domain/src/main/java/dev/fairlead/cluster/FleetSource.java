package dev.fairlead.cluster;

import java.util.List;

/**
 * The fleet as it was a moment ago: good enough for warnings and capacity, cheap enough for every
 * request.
 */
@FunctionalInterface
public interface FleetSource {
  Fleet now();

  /** Clusters by name and nodes by cluster and name, read together. */
  record Fleet(List<Cluster> clusters, List<Node> nodes) {
    public Fleet {
      clusters = List.copyOf(clusters);
      nodes = List.copyOf(nodes);
    }
  }
}
