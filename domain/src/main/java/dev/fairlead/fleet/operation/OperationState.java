package dev.fairlead.fleet.operation;

/** State of an operation. Each value documents the transitions out of it. */
public enum OperationState {
  /**
   * The operation runs. Its loop moves it out when the work is done, or its owner by cancelling it.
   */
  RUNNING,
  /** The work is done. Final. */
  SUCCEEDED,
  /** The operation was cancelled before it was done. Completed work is not reverted. Final. */
  CANCELLED
}
