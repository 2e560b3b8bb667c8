package dev.fairlead.fleet.operation;

/** What moves an operation. */
public enum OperationEvent {
  /** Nothing is left to do. */
  DONE,
  /** Its owner gives it up, or what it works on was taken back into service. */
  CANCEL
}
