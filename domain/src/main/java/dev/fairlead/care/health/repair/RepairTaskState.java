package dev.fairlead.care.health.repair;

/** State of a repairer task. */
public enum RepairTaskState {
  /** It is requested repeatedly until a response arrives or the deadline passes. */
  ORDERED,
  /** The step is completed, and the machine must pass the repairer's test. */
  TESTING,
  /** The repairer is requested to stop. This state ends when the repairer confirms the stop. */
  WITHDRAWING,
  /** Completed according to the repairer and the machine, and tested if the repairer tests. */
  DONE,
  /** The step is completed, but the machine has failed the repairer's test. */
  FAILED,
  /** The repairer does not perform the step. */
  REFUSED,
  /** The repairer has stopped. */
  WITHDRAWN,
  /** The repairer never confirmed that it has stopped. */
  LOST;

  /** Returns whether the repairer may still act on the machine. */
  public boolean open() {
    return this == ORDERED || this == TESTING || this == WITHDRAWING;
  }
}
