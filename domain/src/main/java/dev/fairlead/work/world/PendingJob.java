package dev.fairlead.work.world;

import dev.fairlead.work.attempt.Failure;
import dev.fairlead.work.attempt.FailureCause;
import dev.fairlead.work.job.Job;
import dev.fairlead.work.job.JobState;
import dev.fairlead.work.job.JobStatus;
import dev.fairlead.work.output.OutputReference;
import dev.fairlead.work.spec.JobSpec;
import dev.fairlead.work.spec.JobSpec.Dependency;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job with elements to place.
 *
 * @param offers elements that may start now, at most the free part of the array's limit. One offer
 *     for a job that is not an array. One element that waits if all wait for their own dependencies
 * @param unmet names of jobs it still waits for
 * @param deadDependency the first dependency that can no longer be met, or that ended without a
 *     referenced output, null if none. An output is not missing while the job may become
 *     unnecessary, because a job has not ended that must fail
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
   * @param skips whether the job is not needed: it is for a failure that did not happen, or needs
   *     the success of such a job
   * @param missing text of a reference to an output that it did not report, null if its end did not
   *     meet the condition
   * @param elements indexes of the elements with this dependency, in order. Empty for the whole job
   */
  public record FailedDependency(
      String job,
      @Nullable JobState ended,
      boolean skips,
      @Nullable String missing,
      List<Integer> elements) {
    public FailedDependency {
      elements = List.copyOf(elements);
    }

    /** A dependency of the whole job. */
    public FailedDependency(
        String job, @Nullable JobState ended, boolean skips, @Nullable String missing) {
      this(job, ended, skips, missing, List.of());
    }

    /** A dependency that ended without meeting the condition. */
    public FailedDependency(String job, @Nullable JobState ended, boolean skips) {
      this(job, ended, skips, null);
    }

    public FailedDependency(String job, @Nullable JobState ended) {
      this(job, ended, false);
    }

    /**
     * A dependency that ended as its condition demands, without an output that the job references.
     *
     * @param ended its final state
     * @param missing the first reference without a value
     */
    public static FailedDependency without(
        OutputReference missing, String job, @Nullable JobState ended) {
      return new FailedDependency(job, ended, false, missing.text());
    }

    /**
     * A dependency that did not meet the condition.
     *
     * @param run its life, null without a stored row
     */
    public static FailedDependency of(
        String job, Dependency.Condition condition, @Nullable JobStatus run) {
      if (run == null) {
        return new FailedDependency(job, null);
      }
      Failure failure = run.failure();
      boolean skipped =
          run.state() == JobState.CANCELLED
              && failure != null
              && failure.cause() == FailureCause.SKIPPED;
      return new FailedDependency(
          job, run.state(), skipped || condition == Dependency.Condition.FAILED);
    }

    /**
     * Returns the failed dependency that decides. An ended job precedes a job without a row, and
     * the end of a job that is not needed precedes a missing output.
     *
     * @param before of an earlier entry of {@code dependsOn}, null if none
     */
    public static FailedDependency first(@Nullable FailedDependency before, FailedDependency next) {
      if (before == null || before.ended() == null) {
        return next;
      }
      return before.missing() != null && next.skips() ? next : before;
    }

    /** The cause with which the job ends: SKIPPED cancels it, the others fail it. */
    public FailureCause cause() {
      if (missing != null) {
        return FailureCause.OUTPUT_MISSING;
      }
      return skips ? FailureCause.SKIPPED : FailureCause.DEPENDENCY_FAILED;
    }

    /** Returns the dependency limited to these elements. */
    public FailedDependency of(List<Integer> indexes) {
      return new FailedDependency(job, ended, skips, missing, indexes);
    }

    /** Human-readable outcome of the dependency. */
    public String text() {
      if (missing != null) {
        return "no value exists for %s: job %s ended as %s without reporting it"
            .formatted(missing, job, ended);
      }
      if (skips) {
        return "it is not needed, because %s ended as %s".formatted(subject(), ended);
      }
      return ended == null
          ? "it depends on %s, which no longer exists".formatted(subject())
          : "it depends on %s, which ended as %s".formatted(subject(), ended);
    }

    private String subject() {
      return elements.isEmpty() ? "job '%s'".formatted(job) : "its element of job '" + job + "'";
    }
  }

  /** Returns whether the job must end because of its dead dependency. */
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
