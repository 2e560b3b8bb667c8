package dev.fairlead.e2e;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the time during which this JVM did not run, as on a paused machine, because time limits
 * are then meaningless.
 */
final class StandStill implements AutoCloseable {
  private static final Duration LOOK = Duration.ofMillis(100);

  private volatile boolean on = true;
  private volatile long longest;
  private final Thread watcher =
      Thread.ofPlatform().daemon().name("stand-still").start(this::watch);

  private void watch() {
    long last = System.nanoTime();
    while (on) {
      LockSupport.parkNanos(LOOK.toNanos());
      long now = System.nanoTime();
      longest = Math.max(longest, now - last);
      last = now;
    }
  }

  /** Duration until now, including one check. */
  Duration longest() {
    return Duration.ofNanos(longest);
  }

  @Override
  public void close() {
    on = false;
    LockSupport.unpark(watcher);
  }
}
