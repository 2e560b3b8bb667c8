package dev.fairlead.work.workload.kubernetes.call;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Concurrent calls to one cluster. The limit rises by one after a round in which a call found no
 * slot, and falls by an eighth after a round of slow writes. A call that the cluster throttles or
 * does not answer halves it, once in a round.
 *
 * <p>A round has as many answered writes as the limit. The usual duration is the fastest mean of a
 * round, and approaches later rounds slowly, so that a cluster that became slower for other reasons
 * is usual after some time.
 */
final class CallSlots {
  private static final int FIRST = 16;
  private static final int LEAST = 2;

  /** A round is slow if its mean is this multiple of the usual duration, and above the least. */
  private static final double SLOW = 2;

  private static final double LEAST_SLOW_NANOS = Duration.ofMillis(50).toNanos();
  private static final double FORGETS = 1 / 32.0;
  private static final double SLOWER = 7 / 8.0;

  private static final class Slots extends Semaphore {
    private static final long serialVersionUID = 1L;

    Slots(int slots) {
      super(slots, true);
    }

    /** Removes a slot, even from a running call, which then does not return it. */
    void remove(int slots) {
      reducePermits(slots);
    }
  }

  private final int most;
  private final Slots free;
  private int limit;

  // of the current round
  private int writes;
  private long nanos;
  private boolean full;

  /** Whether the limit was halved. Calls that were sent before may still end in this round. */
  private boolean halved;

  /** 0 before the first round. */
  private double usualNanos;

  /**
   * @param most maximum of the limit
   */
  CallSlots(int most) {
    this.most = most;
    limit = Math.min(FIRST, most);
    free = new Slots(limit);
  }

  /** Returns whether a slot was free within this time. A call overtakes no call that waits. */
  boolean take(Duration patience) {
    try {
      /* Without a time, it would overtake. */
      if (free.tryAcquire(0, TimeUnit.NANOSECONDS)) {
        return true;
      }
      busy();
      return free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private synchronized void busy() {
    full = true;
  }

  /**
   * Returns a slot after a read.
   *
   * @param failure null if it was answered
   */
  synchronized void read(@Nullable CallFailure failure) {
    free.release();
    if (overloaded(failure)) {
      halve();
    }
  }

  /**
   * Returns a slot after a write.
   *
   * @param failure null if it was answered
   */
  synchronized void written(@Nullable CallFailure failure, long took) {
    free.release();
    if (overloaded(failure)) {
      halve();
    } else if (failure == null) {
      writes++;
      nanos += took;
      if (writes >= limit) {
        endRound();
      }
    }
  }

  private static boolean overloaded(@Nullable CallFailure failure) {
    return failure != null
        && (failure.throttled() || failure.effect() == CallFailure.Effect.UNKNOWN);
  }

  private void halve() {
    if (!halved) {
      change(limit / 2);
      startRound(true);
    }
  }

  private void endRound() {
    double mean = (double) nanos / writes;
    boolean slow = usualNanos > 0 && mean > SLOW * usualNanos && mean > LEAST_SLOW_NANOS;
    usualNanos =
        usualNanos == 0 || mean < usualNanos ? mean : usualNanos + (mean - usualNanos) * FORGETS;
    if (slow) {
      change((int) (limit * SLOWER));
    } else if (full) {
      change(limit + 1);
    }
    startRound(false);
  }

  private void startRound(boolean afterHalf) {
    writes = 0;
    nanos = 0;
    full = false;
    halved = afterHalf;
  }

  private void change(int wanted) {
    int next = Math.clamp(wanted, Math.min(LEAST, most), most);
    if (next > limit) {
      free.release(next - limit);
    } else {
      free.remove(limit - next);
    }
    limit = next;
  }

  synchronized int limit() {
    return limit;
  }

  /** Number of calls that have a slot. */
  synchronized int taken() {
    return limit - free.availablePermits();
  }
}
