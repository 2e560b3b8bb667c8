package dev.fairlead.care.health;

/** What an operator says about the repair of a node. */
public enum RepairOrder {
  /** No step is asked for until it is resumed. */
  HOLD,
  /** Ends a hold. */
  RESUME,
  /** Goes on with the next stronger step. */
  SKIP,
  /** Asks for the step at once, whatever it waits for; behind one that is done, for the next. */
  FORCE,
  /** The step that was asked for is done. */
  DONE
}
