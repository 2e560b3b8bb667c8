package dev.fairlead.fleet.node;

/** What becomes of work that still runs when the windows of its pool close. */
public enum Overrun {
  /** What may be preempted is stopped at once, and runs again elsewhere or later. */
  EVICT,
  /** The same after a time that is given. */
  EXTEND_UP_TO,
  /** It runs to its end. */
  FINISH
}
