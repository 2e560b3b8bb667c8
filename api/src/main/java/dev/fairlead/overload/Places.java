package dev.fairlead.overload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Requests that are worked on at once. A request has payers, each of which has a bounded number of
 * places, and waits in their lines first: a flood of slow requests makes its own sender wait, and
 * others find a place.
 */
public final class Places {
  /** Payers share lines by the hash of their name: a bound on memory, and rarely a neighbour. */
  private static final int LINES = 256;

  private static final int MOST_WAITING = 250;
  private final Semaphore all;
  private final List<List<Semaphore>> lines = new ArrayList<>();
  private final Duration longestWait;

  /**
   * @param places at least 1
   * @param longestWait of one request, for all of its lines and a place
   * @param shares most places of each kind of payer, in the order in which requests name them
   */
  public Places(int places, Duration longestWait, int... shares) {
    this.all = new Semaphore(places, true);
    this.longestWait = longestWait;
    for (int share : shares) {
      lines.add(
          Stream.generate(() -> new Semaphore(Math.max(1, share), true)).limit(LINES).toList());
    }
  }

  /** A place that is held until it is given back, any number of times. */
  public static final class Held implements AutoCloseable {
    private final List<Semaphore> gates;
    private final AtomicBoolean held = new AtomicBoolean(true);

    private Held(List<Semaphore> gates) {
      this.gates = gates;
    }

    @Override
    public void close() {
      if (held.compareAndSet(true, false)) {
        gates.reversed().forEach(Semaphore::release);
      }
    }
  }

  /**
   * Null when none came free in time, or when so many wait that none would.
   *
   * @param payers one of each kind
   */
  public @Nullable Held enter(String... payers) {
    long end = System.nanoTime() + longestWait.toNanos();
    List<Semaphore> entered = new ArrayList<>();
    for (int kind = 0; kind <= lines.size(); kind++) {
      Semaphore gate =
          kind == lines.size()
              ? all
              : lines.get(kind).get(Math.floorMod(payers[kind].hashCode(), LINES));
      if (!entered(gate, end)) {
        entered.forEach(Semaphore::release);
        return null;
      }
      entered.add(gate);
    }
    return new Held(entered);
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
