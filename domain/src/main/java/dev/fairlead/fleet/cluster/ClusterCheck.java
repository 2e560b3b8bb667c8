package dev.fairlead.fleet.cluster;

import java.util.List;
import java.util.Optional;

/** Checks conditions for ending the supervision of a cluster. */
public interface ClusterCheck {
  /**
   * Returns why the cluster should not be disabled and what to do first, empty if it may be
   * disabled. Called inside the transaction.
   */
  Optional<String> refuses(Cluster cluster);

  /**
   * Returns each open request for nodes on the cluster, as human-readable text. Its nodes are
   * billed until they are returned. Called inside the transaction.
   */
  List<String> openRequests(Cluster cluster);
}
