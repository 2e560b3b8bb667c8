package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.Node;
import java.util.List;
import java.util.Optional;

/**
 * The fleet as it was a moment ago: good enough for warnings and capacity, cheap enough for every
 * request.
 */
public interface FleetSource {
  /** At most two seconds old, or as old as the last answer while another caller reads. */
  Fleet now();

  /**
   * At most ten seconds old, within a quarter of a second; empty when reading takes longer, as it
   * does right after the start.
   */
  default Optional<Fleet> soon() {
    return Optional.of(now());
  }

  /** With all that was committed before this call. */
  default Fleet afresh() {
    return now();
  }

  /** Clusters by name, and nodes, read together. */
  record Fleet(List<Cluster> clusters, List<Node> nodes) {
    public Fleet {
      clusters = List.copyOf(clusters);
      nodes = List.copyOf(nodes);
    }
  }
}
