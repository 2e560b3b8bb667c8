package dev.fairlead.fleet.operation;

/** An event that changes the state of an operation. */
public enum OperationEvent {
  /** No work remains. */
  DONE,
  /** Its owner cancels it, or its subject returned to service. */
  CANCEL
}
