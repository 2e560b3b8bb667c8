package dev.fairlead.fleet.cluster;

import java.util.List;

/** Checks what would be lost if another API server answered for a cluster. */
public interface ServerCheck {
  /**
   * Returns what Fairlead looks up on the cluster's API server by its stored identity, each kind
   * with its number, for example "60 Jobs of the front". Empty when nothing would be lost. Attempts
   * are not among them. Called inside the transaction.
   */
  List<String> heldBy(Cluster cluster);
}
