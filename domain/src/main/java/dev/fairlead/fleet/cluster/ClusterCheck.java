package dev.fairlead.fleet.cluster;

import java.util.List;
import java.util.Optional;

/** What else has to hold before nobody looks after a cluster any more. */
public interface ClusterCheck {
  /** Why it should not be disabled, and what to do first; empty when it may. In the transaction. */
  Optional<String> refuses(Cluster cluster);

  /**
   * Each request for nodes that is open there, as people read it: its nodes are billed until they
   * are handed back. In the transaction.
   */
  List<String> openRequests(Cluster cluster);
}
