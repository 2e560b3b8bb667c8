package dev.fairlead.fleet.node.window;

/** The treatment of work that still runs when the windows of its pool close. */
public enum LeftoverPolicy {
  /** Stops preemptible work immediately. The work restarts on other nodes or later. */
  EVICT,
  /** Stops preemptible work after a given time. */
  EXTEND_UP_TO,
  /** The work runs to its end. */
  FINISH
}
