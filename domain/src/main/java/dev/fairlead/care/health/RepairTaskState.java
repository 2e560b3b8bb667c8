package dev.fairlead.care.health;

/** Where a task of a repairer stands. */
public enum RepairTaskState {
  /** It is asked for, again and again; ends with its answer or the deadline. */
  ORDERED,
  /** The step is done, and the machine has to pass the repairer's test. */
  TESTING,
  /** The repairer is asked to leave the machine alone; ends when it says so. */
  WITHDRAWING,
  /** Done, as the repairer says and the machine shows, and tested where the repairer tests. */
  DONE,
  /** The step is done, and the machine has failed the repairer's test. */
  FAILED,
  /** The repairer does not do it. */
  REFUSED,
  /** The repairer has left it. */
  WITHDRAWN,
  /** It never said whether it has left it. */
  LOST;

  /** Whether the repairer may do something to the machine for it. */
  public boolean open() {
    return this == ORDERED || this == TESTING || this == WITHDRAWING;
  }
}
