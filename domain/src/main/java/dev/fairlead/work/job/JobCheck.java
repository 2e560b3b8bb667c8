package dev.fairlead.work.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An admission check.
 *
 * @param name name of the check in the queue of the job
 * @param attempt number of the attempt that it permits, 0 for an array as a whole
 * @param request number of the request, which a report repeats: the version of the job to be judged
 * @param changedAt time of the request or of the last report
 * @param message message of the last report, null if none
 * @param retryAt time of the next request, null unless the state is RETRY
 */
public record JobCheck(
    String name,
    State state,
    int attempt,
    long request,
    Instant changedAt,
    @Nullable String message,
    @Nullable Instant retryAt) {
  public JobCheck {
    message = message == null || message.isEmpty() ? null : message;
  }

  /** Result of a check, as in Kueue. */
  public enum State {
    /** Requested, without a decision. */
    PENDING,
    /** Permits the attempt. */
    READY,
    /** Does not permit the attempt now. It is requested again after a delay. */
    RETRY,
    /** Final: the job fails. */
    REJECTED
  }

  boolean permits(String check, int number) {
    return state == State.READY && attempt == number && name.equals(check);
  }

  /**
   * Returns whether to request it again. A report from the future was stored under another clock.
   */
  boolean due(Instant now) {
    return retryAt != null && (!retryAt.isAfter(now) || changedAt.isAfter(now));
  }
}
