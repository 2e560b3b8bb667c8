package dev.fairlead.care.health;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The time without a condition after which a fault that ends with its condition counts as over. It
 * increases each time the fault returns, because each isolation stops the jobs of the node.
 */
public final class Recovery {
  /** Time after the first fault. */
  public static final Duration LEAST = Duration.ofMinutes(5);

  /** Maximum time. */
  public static final Duration MOST = Duration.ofHours(2);

  /** Earlier recurrences do not count. */
  public static final Duration WITHIN = Duration.ofHours(24);

  /** Number of the node's newest incidents that are evaluated. */
  public static final int INCIDENTS = 16;

  private Recovery() {}

  /**
   * Returns {@link #LEAST}, doubled for each recently ended incident, at most {@link #MOST}.
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
