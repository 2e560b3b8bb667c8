package dev.fairlead.work.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of an admission check of a job.
 *
 * @param name as the queue of the job names it
 * @param attempt number of the attempt that it permits, 0 for an array as a whole
 * @param request version of the job that was to be judged, repeated by a report
 * @param changedAt time of the request or of the last report
 * @param message of the last report, empty if none
 * @param retryAt time of the next request, null unless the state is RETRY
 */
public record JobCheck(
    String name,
    State state,
    int attempt,
    long request,
    Instant changedAt,
    String message,
    @Nullable Instant retryAt) {
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
