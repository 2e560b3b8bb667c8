package dev.fairlead.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The life of a job or of an array element so far.
 *
 * @param startedAt when it first ran
 * @param attempts attempts made, the current one included
 * @param failures attempts that spent retry budget
 * @param retryAt not to be placed before, null for at once
 * @param failure why the last attempt ended badly
 */
public record Run(
    JobState state,
    Instant changedAt,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    int attempts,
    int failures,
    @Nullable Instant retryAt,
    @Nullable Failure failure) {
  public static Run queued(Instant now) {
    return new Run(JobState.QUEUED, now, null, null, 0, 0, null, null);
  }

  public boolean ended() {
    return JobLifecycle.TABLE.terminal(state);
  }

  Run to(
      JobState next,
      Instant now,
      @Nullable Instant started,
      @Nullable Instant endedNow,
      int attemptsNow,
      int failuresNow,
      @Nullable Instant retry,
      @Nullable Failure why) {
    return new Run(next, now, started, endedNow, attemptsNow, failuresNow, retry, why);
  }
}
