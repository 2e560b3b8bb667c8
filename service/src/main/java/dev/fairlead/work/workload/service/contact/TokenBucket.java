package dev.fairlead.work.workload.service.contact;

import dev.fairlead.kernel.loop.MonotonicClock;
import java.time.Duration;

/**
 * Limits the rate of an action with an external trigger: a number of times immediately, and then
 * once in each period. Not thread-safe.
 */
public final class TokenBucket {
  private final int most;
  private final long periodNanos;
  private final MonotonicClock clock;
  private int left;
  private long countedAt;

  /** Creates a full bucket. */
  public TokenBucket(int most, Duration period, MonotonicClock clock) {
    this.most = most;
    this.periodNanos = period.toNanos();
    this.clock = clock;
    fill();
  }

  /** Takes a token. Returns false if there is none. */
  public boolean take() {
    long periods = (clock.nanos() - countedAt) / periodNanos;
    if (periods >= most - left) {
      fill();
    } else {
      left += (int) periods;
      countedAt += periods * periodNanos;
    }
    if (left == 0) {
      return false;
    }
    left--;
    return true;
  }

  public void fill() {
    left = most;
    countedAt = clock.nanos();
  }
}
