package dev.fairlead.fleet.node;

/** State of a node. Each value documents the transitions out of it. */
public enum NodeState {
  /** The node accepts members. The cluster's reports end this state. */
  ACTIVE,
  /**
   * The node is marked unschedulable on its cluster or cordoned in Fairlead. The cluster's reports
   * move it back once it is no longer cordoned in Fairlead.
   */
  CORDONED,
  /**
   * Fairlead empties the node. The drain moves it to CORDONED when it has ended or is cancelled.
   */
  DRAINING,
  /**
   * A quarantine excludes the node because of its health. A release moves it to CORDONED, and the
   * next report to the reported state.
   */
  QUARANTINED,
  /** Its kubelet is silent or not ready. The cluster's reports move it back. */
  UNREACHABLE,
  /**
   * The node was removed from its cluster. A report with its name restores the same row, with its
   * allocations.
   */
  RETIRED
}
