package dev.fairlead.care.health.repair;

import org.jspecify.annotations.Nullable;

/** The response of a repair service to a {@link RepairCall}. */
public sealed interface RepairAnswer {
  /** The repairer's response about the task. */
  enum Word {
    /** The repairer or a person is working on the repair. */
    PENDING,
    DONE,
    /** The machine has passed the test for its fault. */
    PASSED,
    /** The machine has failed the test. */
    FAILED,
    /** The repair service does not perform it, so a person must. */
    REFUSED,
    /** The task has not begun and will not, or has stopped. */
    WITHDRAWN
  }

  /**
   * A valid response.
   *
   * @param nonce nonce of the task, if it answers it
   * @param poweredOff whether the machine has been without power since the request
   * @param reference its name for the task, such as a ticket number, empty if none
   * @param message human-readable text, empty if none
   */
  record Answered(
      Word word, @Nullable String nonce, boolean poweredOff, String reference, String message)
      implements RepairAnswer {}

  /** No response, or an unreadable response. */
  record Unanswered(String why) implements RepairAnswer {}
}
