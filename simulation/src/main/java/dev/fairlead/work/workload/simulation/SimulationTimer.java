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

/** One daemon thread that moves simulated clusters along with a clock. */
final class SimulationTimer implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(SimulationTimer.class.getName());

  /** A step of the clock is noticed after so long at the latest. */
  private static final long LONGEST_WAIT_MILLIS = 1000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition poked = lock.newCondition();
  private final InstantSource clock;
  private final Supplier<? extends Collection<SimulatedCluster>> clusters;
  private @Nullable Instant earliest;
  private boolean closed;
  private @Nullable Thread thread;

  /**
   * @param clusters those that are to be moved, asked for each time
   */
  SimulationTimer(InstantSource clock, Supplier<? extends Collection<SimulatedCluster>> clusters) {
    this.clock = clock;
    this.clusters = clusters;
  }

  /** Something is due at this time. The first call starts the thread. */
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

  /** A listener that fails must not stop the clusters. */
  private void tick(SimulatedCluster cluster) {
    try {
      cluster.tickTo(clock.instant());
    } catch (Throwable failure) {
      FatalErrors.rethrow(failure);
      LOG.log(System.Logger.Level.WARNING, "a listener of a simulated cluster failed", failure);
    }
  }

  /** False when closed. Each tick tells anew what is due next. */
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
