package dev.fairlead.work.workload.service.contact;

import dev.fairlead.kernel.loop.MonotonicClock;
import java.time.Duration;

/**
 * How often something may be done that somebody else decides the number of: so often at once, and
 * after that once in each period. For one thread.
 */
public final class TokenBucket {
  private final int most;
  private final long periodNanos;
  private final MonotonicClock clock;
  private int left;
  private long countedAt;

  /** Full at first. */
  public TokenBucket(int most, Duration period, MonotonicClock clock) {
    this.most = most;
    this.periodNanos = period.toNanos();
    this.clock = clock;
    fill();
  }

  /** Whether it may be done now; it is then counted as done. */
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

  /** What was done so far counts no more. */
  public void fill() {
    left = most;
    countedAt = clock.nanos();
  }
}
