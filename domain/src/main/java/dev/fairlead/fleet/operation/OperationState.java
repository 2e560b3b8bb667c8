package dev.fairlead.fleet.operation;

/** State of an operation. Each value documents the transitions out of it. */
public enum OperationState {
  /**
   * The operation runs. Its loop ends this state when the work is done, or its owner by cancelling
   * the operation.
   */
  RUNNING,
  /** The work is done. Final. */
  SUCCEEDED,
  /** The operation was cancelled before it was done. Completed work is not reverted. Final. */
  CANCELLED
}
