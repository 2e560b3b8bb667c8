package dev.fairlead.retention;

import java.time.Duration;

/**
 * How long rows stay where they are.
 *
 * @param finishedJobs since a job ended, until it moves to the archive
 * @param events since they happened, in whole days
 * @param idempotencyKeys since they were given
 */
public record Ages(Duration finishedJobs, Duration events, Duration idempotencyKeys) {
  public static final Ages DEFAULT =
      new Ages(Duration.ofDays(7), Duration.ofDays(7), Duration.ofHours(24));
}
