package dev.fairlead.work.job;

import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.spec.ArrayRange;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Progress of an array job, in elements. {@code queued} counts elements that are not live and not
 * ended, those without a row included.
 *
 * @param limit maximum of concurrently live elements
 * @param started elements that have a row
 */
@RecordBuilder
public record ArrayProgress(
    int elements,
    int limit,
    int started,
    int live,
    int running,
    int succeeded,
    int failed,
    int cancelled)
    implements ArrayProgressBuilder.With {
  public static ArrayProgress of(ArrayRange range) {
    return ArrayProgressBuilder.builder()
        .elements(range.count())
        .limit(range.limit())
        .started(0)
        .live(0)
        .running(0)
        .succeeded(0)
        .failed(0)
        .cancelled(0)
        .build();
  }

  public int ended() {
    return succeeded + failed + cancelled;
  }

  public int queued() {
    return elements - live - ended();
  }

  /**
   * The counts after one element moved. {@code before} is null for an element that gets its row
   * now.
   */
  public ArrayProgress moved(@Nullable JobState before, JobState after) {
    int[] counts = {started, live, running, succeeded, failed, cancelled};
    if (before == null) {
      counts[0]++;
    } else {
      add(counts, before, -1);
    }
    add(counts, after, 1);
    return with()
        .started(counts[0])
        .live(counts[1])
        .running(counts[2])
        .succeeded(counts[3])
        .failed(counts[4])
        .cancelled(counts[5])
        .build();
  }

  /** Cancels all elements that are neither live nor ended, including elements without a row. */
  public ArrayProgress cancelQueued() {
    return withCancelled(cancelled + queued());
  }

  /** Like {@link #cancelQueued}, but they failed. */
  public ArrayProgress failQueued() {
    return withFailed(failed + queued());
  }

  /**
   * The life of the array with these counts.
   *
   * @param run its life before
   * @param element life of an element that changed
   */
  JobStatus life(JobStatus run, JobStatus element, Instant now) {
    JobState state = run.state();
    if (ended() == elements) {
      state =
          succeeded == elements
              ? JobState.SUCCEEDED
              : run.state() == JobState.CANCELLING || failed == 0
                  ? JobState.CANCELLED
                  : JobState.FAILED;
    } else if (state == JobState.QUEUED && running > 0) {
      state = JobState.RUNNING;
    }
    Instant first = run.startedAt() == null ? element.startedAt() : run.startedAt();
    Instant end = JobLifecycle.TABLE.terminal(state) ? now : null;
    Instant changed = state == run.state() ? run.changedAt() : now;
    Failure failure =
        state == JobState.SUCCEEDED
            ? null
            : element.failure() == null ? run.failure() : blamed(run, element);
    return run.to(state, changed, first, end, run.attempts(), failed, null, failure);
  }

  /** A retried or skipped element shows no failure once another one has permanently failed. */
  private @Nullable Failure blamed(JobStatus run, JobStatus element) {
    Failure failure = element.failure();
    boolean skipped = failure != null && failure.cause() == FailureCause.SKIPPED;
    boolean again = (element.state() == JobState.QUEUED || skipped) && failed > 0;
    return again ? run.failure() : failure;
  }

  private static void add(int[] counts, JobState state, int n) {
    switch (state) {
      case QUEUED, SUSPENDED -> {}
      case ADMITTED, STARTING, CANCELLING -> counts[1] += n;
      case RUNNING -> {
        counts[1] += n;
        counts[2] += n;
      }
      case SUCCEEDED -> counts[3] += n;
      case FAILED -> counts[4] += n;
      case CANCELLED -> counts[5] += n;
    }
  }
}
