package dev.fairlead.kernel.overload;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Limits concurrent requests. A request has payers, each with a bounded number of permits, and
 * waits in their queues first: a flood of slow requests delays its own sender, and other requests
 * still get a permit.
 */
public final class Places {
  private static final int MOST_WAITING = 250;
  private final Semaphore all;
  private final List<Lines> kinds;
  private final Duration longestWait;

  /**
   * @param places number of places, at least 1
   * @param longestWait maximum wait of one request, for all of its lines and a place
   * @param shares maximum number of places of each kind of payer, in the order in which requests
   *     name them
   */
  public Places(int places, Duration longestWait, int... shares) {
    this.all = new Semaphore(places, true);
    this.longestWait = longestWait;
    this.kinds = Arrays.stream(shares).mapToObj(Lines::new).toList();
  }

  /** A permit that is held until it is released. Release is idempotent. */
  public static final class Held implements AutoCloseable {
    private final Runnable release;
    private final AtomicBoolean held = new AtomicBoolean(true);

    private Held(Runnable release) {
      this.release = release;
    }

    @Override
    public void close() {
      if (held.compareAndSet(true, false)) {
        release.run();
      }
    }
  }

  /**
   * The lines of one kind of payer. Each payer with a pending request has its own line. If names
   * were hashed to shared lines, a caller could choose its neighbour by choosing a name.
   */
  private static final class Lines {
    private final int share;
    private final Map<String, Line> lines = new ConcurrentHashMap<>();

    private record Line(Semaphore gate, int requests) {
      Line with() {
        return new Line(gate, requests + 1);
      }

      @Nullable Line without() {
        return requests == 1 ? null : new Line(gate, requests - 1);
      }
    }

    Lines(int share) {
      this.share = Math.max(1, share);
    }

    boolean enter(String payer, long end) {
      Line line =
          lines.compute(
              payer,
              (name, there) ->
                  there == null ? new Line(new Semaphore(share, true), 1) : there.with());
      boolean entered = entered(line.gate, end);
      if (!entered) {
        leave(payer);
      }
      return entered;
    }

    void exit(String payer) {
      lines.computeIfPresent(
          payer,
          (name, line) -> {
            line.gate.release();
            return line.without();
          });
    }

    private void leave(String payer) {
      lines.computeIfPresent(payer, (name, line) -> line.without());
    }
  }

  /**
   * Returns null if no permit became free in time, or if the queue is too long for that.
   *
   * @param payers one payer of each kind
   */
  public @Nullable Held enter(String... payers) {
    long end = System.nanoTime() + longestWait.toNanos();
    for (int kind = 0; kind < kinds.size(); kind++) {
      if (!kinds.get(kind).enter(payers[kind], end)) {
        exit(payers, kind);
        return null;
      }
    }
    if (!entered(all, end)) {
      exit(payers, kinds.size());
      return null;
    }
    return new Held(() -> {
      all.release();
      exit(payers, kinds.size());
    });
  }

  private void exit(String[] payers, int entered) {
    for (int kind = 0; kind < entered; kind++) {
      kinds.get(kind).exit(payers[kind]);
    }
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
