package dev.fairlead.retention;

import java.time.Duration;

/**
 * How long rows stay where they are.
 *
 * @param finishedJobs since a job ended, until it moves to the archive; also for operations and for
 *     explanations that no job refers to
 * @param events since they happened, in whole days; also for health events
 * @param idempotencyKeys since they were given
 * @param tokens since they expired or were revoked
 */
public record Ages(
    Duration finishedJobs, Duration events, Duration idempotencyKeys, Duration tokens) {
  public static final Ages DEFAULT =
      new Ages(Duration.ofDays(7), Duration.ofDays(7), Duration.ofHours(24), Duration.ofDays(30));

  public Duration of(OldRows.Kind kind) {
    return switch (kind) {
      case JOBS, OPERATIONS, EXPLANATIONS -> finishedJobs;
      case IDEMPOTENCY_KEYS -> idempotencyKeys;
      case EVENTS, HEALTH_EVENTS -> events;
      case TOKENS -> tokens;
      case NODES -> Duration.ZERO;
    };
  }
}
