package dev.fairlead.front;

/** What a front cluster answers. */
public sealed interface FrontAnswer {
  /**
   * It was done.
   *
   * @param now the Job after it
   */
  record Done(SeenJob now) implements FrontAnswer {}

  /** It was read. */
  record Read(SeenJob now, FrontRequest request) implements FrontAnswer {}

  /** Nothing was done: the Job is not what it was, and will be shown as it is now. */
  record Changed() implements FrontAnswer {}

  /** There is no such Job, or it is another one of its name. */
  record Gone() implements FrontAnswer {}

  /** Its cluster refuses this, and says why. */
  record Refused(String message) implements FrontAnswer {}

  /** It does not answer now, or it is not known whether it was done. */
  record Away(String message) implements FrontAnswer {}
}
