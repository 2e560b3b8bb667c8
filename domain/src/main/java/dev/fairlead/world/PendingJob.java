package dev.fairlead.world;

import dev.fairlead.job.Job;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job that has something to place.
 *
 * @param offers elements that may start now, at most the free part of the array's limit; one offer
 *     for a job that is no array
 * @param unmet names of jobs it still waits for
 * @param deadDependency the first dependency that can no longer be met, null for none
 */
public record PendingJob(
    Job job, List<Offer> offers, List<String> unmet, @Nullable String deadDependency) {
  /**
   * An element to place.
   *
   * @param index 0 for a job that is no array
   * @param attempts attempts made so far
   * @param retryAt not before, null for at once
   */
  public record Offer(int index, int attempts, @Nullable Instant retryAt) {}

  public PendingJob {
    offers = List.copyOf(offers);
    unmet = List.copyOf(unmet);
  }
}
