package dev.fairlead.cluster;

import java.util.Optional;

/** What else has to hold before nobody looks after a cluster any more. */
public interface ClusterCheck {
  /** Why it should not be disabled, and what to do first; empty when it may. In the transaction. */
  Optional<String> refuses(Cluster cluster);
}
