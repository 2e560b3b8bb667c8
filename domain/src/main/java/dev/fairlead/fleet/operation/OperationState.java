package dev.fairlead.fleet.operation;

/** State of an operation; each value says who moves it out. */
public enum OperationState {
  /** Under way. Its loop moves it out when the work is done, its owner by cancelling it. */
  RUNNING,
  /** Done. Final. */
  SUCCEEDED,
  /** Given up before it was done; what was done stays done. Final. */
  CANCELLED
}
