package dev.fairlead.kernel.retention;

import java.time.Duration;

/**
 * Retention periods of rows.
 *
 * @param finishedJobs since a job ended, until it moves to the archive. Also for operations and for
 *     explanations that no job refers to
 * @param events since they happened, in whole days. Also for health events
 * @param idempotencyKeys since they were given
 * @param tokens since they expired or were revoked
 */
public record Ages(
    Duration finishedJobs, Duration events, Duration idempotencyKeys, Duration tokens) {
  public static final Ages DEFAULT =
      new Ages(Duration.ofDays(7), Duration.ofDays(7), Duration.ofHours(24), Duration.ofDays(30));

  /** Age of an ended incident, which is part of the history of its device. */
  private static final Duration INCIDENTS = Duration.ofDays(731);

  /**
   * Age of the last sighting of a GPU. A GPU with an incident is retained as long as the incident.
   */
  private static final Duration DEVICES = Duration.ofDays(90);

  /** Age of an ended usage interval, so that a year can be recomputed. */
  private static final Duration USAGE = Duration.ofDays(400);

  /** Age of a decision about a job. */
  private static final Duration DECISIONS = Duration.ofDays(366);

  /** Age of a day with counts. */
  private static final Duration PREEMPTION_COUNTS = Duration.ofDays(60);

  /** Age of the first sample of an attempt. */
  private static final Duration EFFICIENCY = Duration.ofDays(366);

  /** Age of a configuration change. */
  private static final Duration CONFIG_VERSIONS = Duration.ofDays(731);

  /** A node missing from its cluster's list for this time counts as permanently gone. */
  public static final Duration GONE = Duration.ofDays(7);

  public Duration of(RetentionStore.Kind kind) {
    return switch (kind) {
      case JOBS, OPERATIONS, EXPLANATIONS -> finishedJobs;
      case IDEMPOTENCY_KEYS -> idempotencyKeys;
      case EVENTS, HEALTH_EVENTS -> events;
      case TOKENS -> tokens;
      case INCIDENTS -> INCIDENTS;
      case DEVICES -> DEVICES;
      case USAGE -> USAGE;
      case DECISIONS -> DECISIONS;
      case PREEMPTION_COUNTS -> PREEMPTION_COUNTS;
      case EFFICIENCY -> EFFICIENCY;
      case CONFIG_VERSIONS -> CONFIG_VERSIONS;
      case NODES -> Duration.ZERO;
    };
  }
}
