package dev.fairlead.care.health;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * How long a node shows no condition before a fault that is over with its condition counts as over:
 * longer each time that the fault came back, since each isolation stops the jobs of the node.
 */
public final class Recovery {
  /** At the first time. */
  public static final Duration LEAST = Duration.ofMinutes(5);

  /** However often it came back. */
  public static final Duration MOST = Duration.ofHours(2);

  /** Returns that are longer ago do not count. */
  public static final Duration WITHIN = Duration.ofHours(24);

  /** So many incidents of the node decide. */
  public static final int INCIDENTS = 16;

  private Recovery() {}

  /**
   * {@link #LEAST}, doubled for each incident that ended so lately, at most {@link #MOST}.
   *
   * @param incidents the newest of the node, at most {@link #INCIDENTS}
   */
  public static Duration after(List<Incident> incidents, Instant now) {
    long returns =
        incidents.stream()
            .filter(Incident::cleared)
            .filter(i -> i.endedAt() != null && i.endedAt().isAfter(now.minus(WITHIN)))
            .count();
    Duration wait = LEAST;
    for (long i = 0; i < returns && wait.compareTo(MOST) < 0; i++) {
      wait = wait.multipliedBy(2);
    }
    return wait.compareTo(MOST) < 0 ? wait : MOST;
  }
}
