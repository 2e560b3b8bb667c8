package dev.fairlead.care.health.repair;

/** An order of an operator about the repair of a node. */
public enum RepairOrder {
  /** No step is requested until it is resumed. */
  HOLD,
  /** Ends a hold. */
  RESUME,
  /** Continues with the next stronger step. */
  SKIP,
  /**
   * Requests the step immediately, regardless of waits. After a completed step, the order requests
   * the next step.
   */
  FORCE,
  /** The requested step is completed. */
  DONE
}
