package dev.fairlead.fleet.cluster;

import dev.fairlead.fleet.node.Node;
import java.util.List;
import java.util.Optional;

/**
 * A recent copy of the fleet, accurate enough for warnings and capacity and cheap enough for every
 * request.
 */
public interface FleetSource {
  /**
   * Returns a copy that is at most two seconds old, or the last copy while another caller reads.
   */
  Fleet now();

  /**
   * Returns a copy that is at most ten seconds old, within a quarter of a second. The result is
   * empty if reading takes longer, as after the start of the process.
   */
  default Optional<Fleet> soon() {
    return Optional.of(now());
  }

  /** Returns a copy that includes everything committed before this call. */
  default Fleet afresh() {
    return now();
  }

  /** Clusters by name, and nodes, from one read. */
  record Fleet(List<Cluster> clusters, List<Node> nodes) {
    public Fleet {
      clusters = List.copyOf(clusters);
      nodes = List.copyOf(nodes);
    }
  }
}
