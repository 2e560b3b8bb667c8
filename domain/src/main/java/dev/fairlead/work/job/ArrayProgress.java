package dev.fairlead.work.job;

import dev.fairlead.work.spec.ArrayRange;
import io.soabase.recordbuilder.core.RecordBuilder;

/**
 * How far an array job is, in elements. {@code queued} counts elements that are not live and not
 * ended, those without a row included.
 *
 * @param limit maximum of concurrently live elements
 * @param started elements that have a row: indices below this started at least once
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
    return new ArrayProgress(range.count(), range.limit(), 0, 0, 0, 0, 0, 0);
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
  public ArrayProgress moved(@org.jspecify.annotations.Nullable JobState before, JobState after) {
    int[] counts = {started, live, running, succeeded, failed, cancelled};
    if (before == null) {
      counts[0]++;
    } else {
      add(counts, before, -1);
    }
    add(counts, after, 1);
    return new ArrayProgress(
        elements, limit, counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]);
  }

  /** All elements that are not live and not ended are cancelled, those without a row included. */
  public ArrayProgress cancelQueued() {
    return withCancelled(cancelled + queued());
  }

  /** Like {@link #cancelQueued}, but they failed. */
  public ArrayProgress failQueued() {
    return withFailed(failed + queued());
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
