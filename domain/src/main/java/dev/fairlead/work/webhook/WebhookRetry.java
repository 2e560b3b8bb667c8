package dev.fairlead.work.webhook;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Waits between the attempts to deliver one event, and between probes of a webhook. */
final class WebhookRetry {
  /** Time from the first failure of an event to its last attempt. */
  static final Duration PATIENCE = Duration.ofDays(3);

  private static final List<Duration> WAITS =
      List.of(
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofMinutes(10),
          Duration.ofMinutes(30),
          Duration.ofHours(1),
          Duration.ofHours(2),
          Duration.ofHours(4),
          Duration.ofHours(6));

  private static final Duration PROBE_MOST = Duration.ofMinutes(5);
  private static final int DOUBLINGS = 6;
  private static final int JITTER = 20;
  private static final int PERCENT = 100;

  private WebhookRetry() {}

  /**
   * @param attempts failed attempts so far, 1 or more
   * @param asked wait that the receiver requested, at most the maximum wait of the schedule
   * @param seed spreads retries that failed together, by up to 20 % of the wait
   */
  static Duration event(int attempts, @Nullable Duration asked, int seed) {
    Duration last = WAITS.getLast();
    Duration wait = attempts > WAITS.size() ? last : WAITS.get(attempts - 1);
    if (asked != null && asked.compareTo(wait) > 0) {
      wait = asked.compareTo(last) > 0 ? last : asked;
    }
    return wait.plus(wait.multipliedBy(Math.floorMod(seed, JITTER + 1)).dividedBy(PERCENT));
  }

  /**
   * Wait before the next call to a failing webhook: 5 seconds to 5 minutes.
   *
   * @param failures consecutive failed calls beyond those that stop the flow of events, 0 or more
   */
  static Duration probe(int failures) {
    Duration wait = WAITS.getFirst().multipliedBy(1L << Math.min(failures, DOUBLINGS));
    return wait.compareTo(PROBE_MOST) > 0 ? PROBE_MOST : wait;
  }
}
