package dev.fairlead.work.placement.backoff;

import dev.fairlead.work.attempt.FailureCause;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Defines how long a node is avoided after a failure, by cause.
 *
 * @param first time after the first failure, doubled by each further failure of that cause on the
 *     node
 * @param longest maximum time
 * @param cluster minimum number of failed nodes, which must also be at least half of the cluster's
 *     nodes, for jobs to avoid the whole cluster
 */
public record BackOffPolicy(
    SortedMap<FailureCause, Duration> first, Duration longest, int cluster) {
  public static final BackOffPolicy DEFAULT =
      new BackOffPolicy(
          new TreeMap<>(
              java.util.Map.of(
                  FailureCause.PLACEMENT_CONFLICT, Duration.ofSeconds(30),
                  FailureCause.NODE_FAILURE, Duration.ofSeconds(30),
                  FailureCause.START_TIMEOUT, Duration.ofMinutes(1),
                  FailureCause.GPU_FAULT, Duration.ofMinutes(2))),
          Duration.ofMinutes(15),
          3);

  private static final int DOUBLINGS = 10;

  public BackOffPolicy {
    first = Collections.unmodifiableSortedMap(new TreeMap<>(first));
  }

  /**
   * Returns the back-off after the newest failure.
   *
   * @param failures recorded failures of the cause on the node, at least 1
   */
  public Duration after(FailureCause cause, int failures) {
    Duration doubled =
        first
            .getOrDefault(cause, Duration.ZERO)
            .multipliedBy(1L << Math.min(failures - 1, DOUBLINGS));
    return doubled.compareTo(longest) > 0 ? longest : doubled;
  }
}
