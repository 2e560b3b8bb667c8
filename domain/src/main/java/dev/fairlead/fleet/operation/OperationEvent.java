package dev.fairlead.fleet.operation;

/** An event that changes the state of an operation. */
public enum OperationEvent {
  /** Nothing is left to do. */
  DONE,
  /** Its owner cancels it, or its subject returned to service. */
  CANCEL
}
