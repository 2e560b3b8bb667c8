package dev.fairlead.work.placement.backoff;

import dev.fairlead.work.attempt.FailureCause;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * For how long a node is avoided after a failure, by cause.
 *
 * @param first after the first failure; each further one of that cause on the node doubles it
 * @param longest never longer
 * @param cluster as many nodes of a cluster, and at least half of them, speak against all of it
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
   * From the newest failure on.
   *
   * @param failures of the cause on the node, as far as they are remembered, at least 1
   */
  public Duration after(FailureCause cause, int failures) {
    Duration doubled =
        first
            .getOrDefault(cause, Duration.ZERO)
            .multipliedBy(1L << Math.min(failures - 1, DOUBLINGS));
    return doubled.compareTo(longest) > 0 ? longest : doubled;
  }
}
