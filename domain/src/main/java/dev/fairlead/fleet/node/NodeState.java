package dev.fairlead.fleet.node;

/** State of a node; each value says who moves it out. */
public enum NodeState {
  /** Takes members. The cluster's reports move it out. */
  ACTIVE,
  /**
   * Marked unschedulable on its cluster, or cordoned here. The cluster's reports move it back once
   * nobody here keeps it cordoned.
   */
  CORDONED,
  /**
   * Being emptied by Fairlead. The drain moves it to CORDONED when it has ended or is cancelled.
   */
  DRAINING,
  /**
   * Kept out by health while a quarantine stands. Its release moves it to CORDONED, and the next
   * report from there.
   */
  QUARANTINED,
  /** Its kubelet is silent or not ready. The cluster's reports move it back. */
  UNREACHABLE,
  /**
   * Gone from its cluster. A report of that name brings the same row back, with what it still
   * holds.
   */
  RETIRED
}
