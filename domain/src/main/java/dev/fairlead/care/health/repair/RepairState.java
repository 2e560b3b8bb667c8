package dev.fairlead.care.health.repair;

/** State of the repair of a node. */
public enum RepairState {
  /**
   * Its step has not been requested: jobs use the node, other nodes are under repair, or it is
   * held.
   */
  WAITING,
  /** Its step has been requested. This state ends when the step is completed or skipped. */
  ASKED,
  /** A step is completed, and the node waits for its release. */
  REPAIRED,
  /** The node no longer has a quarantine of an incident. */
  ENDED
}
