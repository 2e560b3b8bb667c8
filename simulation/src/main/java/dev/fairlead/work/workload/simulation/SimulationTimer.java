package dev.fairlead.work.workload.simulation;

import dev.fairlead.kernel.problem.FatalErrors;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A daemon thread that advances simulated clusters with a clock. */
final class SimulationTimer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SimulationTimer.class.getName());

  /** Maximum time until a step of the clock is noticed. */
  private static final long LONGEST_WAIT_MILLIS = 1000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition poked = lock.newCondition();
  private final InstantSource clock;
  private final Supplier<? extends Collection<SimulatedCluster>> clusters;
  private @Nullable Instant earliest;
  private boolean closed;
  private @Nullable Thread thread;

  /**
   * @param clusters to advance, read each time
   */
  SimulationTimer(InstantSource clock, Supplier<? extends Collection<SimulatedCluster>> clusters) {
    this.clock = clock;
    this.clusters = clusters;
  }

  /** Schedules a tick at this time. The first call starts the thread. */
  void wakeBy(Instant due) {
    lock.lock();
    try {
      if (thread == null && !closed) {
        thread = Thread.ofPlatform().daemon().name("fairlead-simulation").start(this::loop);
      }
      if (earliest == null || due.isBefore(earliest)) {
        earliest = due;
        poked.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      poked.signal();
    } finally {
      lock.unlock();
    }
  }

  private void loop() {
    try {
      while (awaitDue()) {
        clusters.get().forEach(this::tick);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Advances the cluster. A failing listener must not stop the clusters. */
  private void tick(SimulatedCluster cluster) {
    try {
      cluster.tickTo(clock.instant());
    } catch (Throwable failure) {
      FatalErrors.rethrow(failure);
      LOG.log(System.Logger.Level.WARNING, "a listener of a simulated cluster failed", failure);
    }
  }

  /**
   * Waits for the next tick. Returns false when closed. Each tick computes the next due time again.
   */
  private boolean awaitDue() throws InterruptedException {
    lock.lock();
    try {
      while (!closed && waitMillis() > 0) {
        poked.await(waitMillis(), TimeUnit.MILLISECONDS);
      }
      earliest = null;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private long waitMillis() {
    return earliest == null
        ? LONGEST_WAIT_MILLIS
        : Math.clamp(
            Duration.between(clock.instant(), earliest).toMillis() + 1, 0, LONGEST_WAIT_MILLIS);
  }
}
