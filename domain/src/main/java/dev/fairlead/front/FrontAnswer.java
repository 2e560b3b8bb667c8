package dev.fairlead.front;

/** Answer of a front cluster. */
public sealed interface FrontAnswer {
  /**
   * The change was applied.
   *
   * @param now the Job after it
   */
  record Done(SeenJob now) implements FrontAnswer {}

  /** The object was read. */
  record Read(SeenJob now, FrontRequest request) implements FrontAnswer {}

  /** No change was made: the Job has changed, and its new state will be listed. */
  record Changed() implements FrontAnswer {}

  /** The Job does not exist, or is another one of its name. */
  record Gone() implements FrontAnswer {}

  /** The cluster refuses the change, with a reason. */
  record Refused(String message) implements FrontAnswer {}

  /** The cluster does not answer, or the outcome is unknown. */
  record Away(String message) implements FrontAnswer {}
}
