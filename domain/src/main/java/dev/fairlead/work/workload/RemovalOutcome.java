package dev.fairlead.work.workload;

/** Result of the removal of a namespace. */
public sealed interface RemovalOutcome {
  /** The namespace does not exist. */
  record Gone() implements RemovalOutcome {}

  /**
   * The namespace does not belong to Fairlead and remains permanently.
   *
   * @param why human-readable text
   */
  record Kept(String why) implements RemovalOutcome {}

  /**
   * It still exists.
   *
   * @param why human-readable: its content, or its blocker
   */
  record Waits(String why) implements RemovalOutcome {}

  /**
   * The outcome is unknown.
   *
   * @param message human-readable text
   */
  record Unavailable(String message) implements RemovalOutcome {}

  RemovalOutcome GONE = new Gone();
}
