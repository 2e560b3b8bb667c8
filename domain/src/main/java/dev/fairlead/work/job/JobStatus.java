package dev.fairlead.work.job;

import dev.fairlead.work.attempt.Failure;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The life of a job or of an array element so far.
 *
 * @param startedAt when it first ran
 * @param attempts attempts made, the current one included
 * @param failures attempts that spent retry budget
 * @param faults consecutive attempts that faults ended since one ran for {@link #RAN_LONG}. Other
 *     ends of attempts do not reset it. 0 for an array, whose elements count separately
 * @param retryAt earliest next placement, null for immediately
 * @param failure why the last attempt ended badly
 */
@RecordBuilder
public record JobStatus(
    JobState state,
    Instant changedAt,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    int attempts,
    int failures,
    int faults,
    @Nullable Instant retryAt,
    @Nullable Failure failure)
    implements JobStatusBuilder.With {
  /** After an attempt of this duration the count of faults restarts. */
  public static final Duration RAN_LONG = Duration.ofHours(1);

  public static JobStatus queued(Instant now) {
    return JobStatusBuilder.builder()
        .state(JobState.QUEUED)
        .changedAt(now)
        .startedAt(null)
        .endedAt(null)
        .attempts(0)
        .failures(0)
        .faults(0)
        .retryAt(null)
        .failure(null)
        .build();
  }

  public boolean ended() {
    return JobLifecycle.TABLE.terminal(state);
  }

  /**
   * The earliest next placement, null for immediately. A wait longer than the longest back-off was
   * stored under a clock that has been set back since, so it does not count.
   */
  public @Nullable Instant waitsUntil(Instant now) {
    return retryAt == null || retryAt.isAfter(now.plus(Retry.LONGEST_BACKOFF)) ? null : retryAt;
  }

  /** Faults in a row before the attempt that ends now. */
  int faultsBefore(Instant now) {
    boolean ranLong = state == JobState.RUNNING && !now.isBefore(changedAt.plus(RAN_LONG));
    return ranLong ? 0 : faults;
  }

  /** Returns the status with another count of consecutive faults. */
  JobStatus faults(int count) {
    return withFaults(count);
  }

  /**
   * An incident explains an end that used a retry: the retry is returned and the end counts as a
   * fault.
   */
  JobStatus givenBack() {
    return with().failures(Math.max(0, failures - 1)).faults(faults + 1).build();
  }

  JobStatus retryAt(@Nullable Instant at) {
    return withRetryAt(at);
  }

  JobStatus because(@Nullable Failure why) {
    return withFailure(why);
  }

  JobStatus to(
      JobState next,
      Instant now,
      @Nullable Instant started,
      @Nullable Instant endedNow,
      int attemptsNow,
      int failuresNow,
      @Nullable Instant retry,
      @Nullable Failure why) {
    return JobStatusBuilder.builder()
        .state(next)
        .changedAt(now)
        .startedAt(started)
        .endedAt(endedNow)
        .attempts(attemptsNow)
        .failures(failuresNow)
        .faults(faults)
        .retryAt(retry)
        .failure(why)
        .build();
  }
}
