package dev.fairlead.e2e;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how long this JVM did not run at all, as on a paused machine: a time limit means nothing
 * then.
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

  /** Until now, with the time of one check. */
  Duration longest() {
    return Duration.ofNanos(longest);
  }

  @Override
  public void close() {
    on = false;
    LockSupport.unpark(watcher);
  }
}
