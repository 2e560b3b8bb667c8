package dev.fairlead.care.health;

import org.jspecify.annotations.Nullable;

/** What a repairer says to a {@link RepairCall}. */
public sealed interface RepairAnswer {
  /** What it says of the task. */
  enum Word {
    /** It is at it, or a person is. */
    PENDING,
    DONE,
    /** The machine has passed the test for its fault. */
    PASSED,
    /** The machine has failed it. */
    FAILED,
    /** It does not do it; a person has to. */
    REFUSED,
    /** It has not begun, and will not, or has stopped. */
    WITHDRAWN
  }

  /**
   * It answered.
   *
   * @param nonce that of the task, when it is an answer to it
   * @param poweredOff whether the machine has been without power since it was asked
   * @param reference what it calls the task, such as the number of a ticket; empty for nothing
   * @param message for people, empty for none
   */
  record Answered(
      Word word, @Nullable String nonce, boolean poweredOff, String reference, String message)
      implements RepairAnswer {}

  /** It did not, or not in a way that can be read. */
  record Unanswered(String why) implements RepairAnswer {}
}
