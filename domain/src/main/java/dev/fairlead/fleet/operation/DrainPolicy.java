package dev.fairlead.fleet.operation;

/** What happens to what a drain has not moved by its deadline. */
public enum DrainPolicy {
  /** It runs to its end; the operation says that it is overdue. */
  WAIT,
  /** It is stopped with its grace, also what may not be preempted, and is queued again. */
  STOP
}
