package dev.fairlead.work.world;

import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.spec.JobSpec;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job that has something to place.
 *
 * @param offers elements that may start now, at most the free part of the array's limit. One offer
 *     for a job that is not an array
 * @param unmet names of jobs it still waits for
 * @param deadDependency the first dependency that can no longer be met, null for none. An ended job
 *     precedes a job without a row
 */
public record PendingJob(
    Job job, List<Offer> offers, List<String> unmet, @Nullable FailedDependency deadDependency) {
  /**
   * An element to place.
   *
   * @param index 0 for a job that is not an array
   * @param attempts attempts made so far
   * @param retryAt earliest start, null for immediately
   */
  public record Offer(int index, int attempts, @Nullable Instant retryAt) {}

  /**
   * A dependency that can no longer be met.
   *
   * @param job its name, or its id if it has no row
   * @param ended its final state, null without a stored row
   */
  public record FailedDependency(String job, @Nullable JobState ended) {
    /** For people: the outcome of the dependency. */
    public String text() {
      return ended == null
          ? "it depends on job '%s', which no longer exists".formatted(job)
          : "it depends on job '%s', which ended as %s".formatted(job, ended);
    }
  }

  /** Whether the job is to end because of its dead dependency. */
  public boolean failsByDependency() {
    return deadDependency != null
        && deadDependency.ended() != null
        && job.spec().onDependencyFailure() == JobSpec.OnDependencyFailure.FAIL;
  }

  public PendingJob {
    offers = List.copyOf(offers);
    unmet = List.copyOf(unmet);
  }
}
