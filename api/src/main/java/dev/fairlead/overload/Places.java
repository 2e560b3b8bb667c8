package dev.fairlead.overload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Requests that are worked on at once. No payer has more than half of the places, and each waits in
 * a line of its own first: a flood of slow requests makes its own sender wait, and others find a
 * place.
 */
public final class Places {
  /** Payers share lines by the hash of their name: a bound on memory, and rarely a neighbour. */
  private static final int LINES = 256;

  private static final int MOST_WAITING = 250;
  private final Semaphore all;
  private final List<Semaphore> lines = new ArrayList<>();
  private final Duration longestWait;

  /**
   * @param places at least 1
   * @param longestWait of one request, for both its line and a place
   */
  public Places(int places, Duration longestWait) {
    this.all = new Semaphore(places, true);
    this.longestWait = longestWait;
    for (int i = 0; i < LINES; i++) {
      lines.add(new Semaphore(Math.max(1, places / 2), true));
    }
  }

  /** A place that is held until it is given back, any number of times. */
  public final class Held implements AutoCloseable {
    private final Semaphore line;
    private final AtomicBoolean held = new AtomicBoolean(true);

    private Held(Semaphore line) {
      this.line = line;
    }

    @Override
    public void close() {
      if (held.compareAndSet(true, false)) {
        all.release();
        line.release();
      }
    }
  }

  /** Null when none came free in time, or when so many wait that none would. */
  public @Nullable Held enter(String payer) {
    Semaphore line = lines.get(Math.floorMod(payer.hashCode(), LINES));
    long end = System.nanoTime() + longestWait.toNanos();
    if (!entered(line, end)) {
      return null;
    }
    if (entered(all, end)) {
      return new Held(line);
    }
    line.release();
    return null;
  }

  private static boolean entered(Semaphore gate, long end) {
    try {
      return gate.tryAcquire()
          || gate.getQueueLength() < MOST_WAITING
              && gate.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
