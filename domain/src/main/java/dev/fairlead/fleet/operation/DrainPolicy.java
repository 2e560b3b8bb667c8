package dev.fairlead.fleet.operation;

/** The treatment of work that a drain has not moved by its deadline. */
public enum DrainPolicy {
  /** The work runs to its end, and the operation reports that it is overdue. */
  WAIT,
  /** The work is stopped with its grace period and queued again, even if it is not preemptible. */
  STOP
}
