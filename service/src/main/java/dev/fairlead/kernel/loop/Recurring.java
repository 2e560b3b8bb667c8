package dev.fairlead.kernel.loop;

import java.time.Duration;

/** Work that is due again some time after its last execution, by monotonic time. */
public final class Recurring {
  private final MonotonicClock clock;
  private final long everyNanos;
  private long dueAtNanos;

  private Recurring(MonotonicClock clock, Duration every, long dueAtNanos) {
    this.clock = clock;
    this.everyNanos = every.toNanos();
    this.dueAtNanos = dueAtNanos;
  }

  /** Due now, and then each time after the interval since its execution. */
  public static Recurring fromNowOn(MonotonicClock clock, Duration every) {
    return new Recurring(clock, every, clock.nanos());
  }

  /** Due for the first time after the interval. */
  public static Recurring after(MonotonicClock clock, Duration every) {
    return new Recurring(clock, every, clock.nanos() + every.toNanos());
  }

  public boolean due() {
    return clock.nanos() - dueAtNanos >= 0;
  }

  /** Restarts the interval. */
  public void done() {
    dueAtNanos = clock.nanos() + everyNanos;
  }
}
