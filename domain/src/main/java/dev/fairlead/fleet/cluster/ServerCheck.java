package dev.fairlead.fleet.cluster;

import java.util.List;

/** Checks what would be lost if another API server answered for a cluster. */
public interface ServerCheck {
  /**
   * Returns the objects that Fairlead looks up on the cluster's API server by stored identity, each
   * kind with its number, for example "60 Jobs of the front". Attempts are not included. The result
   * is empty if nothing would be lost. Called inside the transaction.
   */
  List<String> heldBy(Cluster cluster);
}
