package dev.fairlead.front;

import java.time.Instant;

/**
 * A condition of a Job.
 *
 * @param status True, False or Unknown
 * @param since time of the change to this status, in whole seconds
 */
public record FrontCondition(
    String type, String status, String reason, String message, Instant since) {
  /** Whether Fairlead runs the Job, and why not. */
  public static final String SUBMITTED = "fairlead.dev/Submitted";

  public static final String SUSPENDED = "Suspended";
  public static final String COMPLETE = "Complete";
  public static final String FAILED = "Failed";

  /** Before Complete. An API server accepts no Complete condition without it. */
  public static final String SUCCESS_CRITERIA_MET = "SuccessCriteriaMet";

  /** Before Failed. An API server accepts no Failed condition without it. */
  public static final String FAILURE_TARGET = "FailureTarget";

  private static final String TRUE = "True";

  public static FrontCondition of(
      String type, boolean is, String reason, String message, Instant now) {
    return new FrontCondition(type, is ? TRUE : "False", reason, message, now);
  }

  public boolean is() {
    return TRUE.equals(status);
  }

  /** The condition written after the other: its time only changes with its status. */
  FrontCondition after(FrontCondition before) {
    return before.status.equals(status)
        ? new FrontCondition(type, status, reason, message, before.since)
        : this;
  }
}
