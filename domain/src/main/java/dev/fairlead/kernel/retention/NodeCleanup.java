package dev.fairlead.kernel.retention;

import java.time.Duration;

/** Ends the incidents and quarantines of retired nodes and removed clusters, with their events. */
public interface NodeCleanup {
  /**
   * Ends incidents and quarantines of one cluster. Nodes with a quarantine that an operator holds
   * are skipped.
   *
   * @param age minimum time since the cluster listed the node. Incidents of a removed cluster end
   *     at any age
   * @param limit maximum number
   * @return their number. Call again until it is 0
   */
  int end(Duration age, int limit);
}
