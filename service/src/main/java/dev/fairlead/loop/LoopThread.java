package dev.fairlead.loop;

import dev.fairlead.event.WakeUps;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one loop on a thread of its own. A turn that throws is counted, logged and followed by a
 * pause.
 */
public final class LoopThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoopThread.class);
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final Duration GRACE = Duration.ofSeconds(20);
  private static final Duration LONGEST_REST = Duration.ofMillis(200);
  private final Loop loop;
  private final Semaphore signal = new Semaphore(0);
  private final List<WakeUps.Subscription> subscriptions = new ArrayList<>();
  private final Counter failures;
  private final Timer turns;
  private final Thread thread;
  private volatile boolean stopping;
  private @Nullable String lastFailure;

  public LoopThread(Loop loop, WakeUps wakeUps, MeterRegistry metrics) {
    this.loop = loop;
    this.failures = metrics.counter("fairlead.loop.failures", "loop", loop.name());
    this.turns = metrics.timer("fairlead.loop.turns", "loop", loop.name());
    this.thread = Thread.ofPlatform().name("loop-" + loop.name()).unstarted(this::run);
    for (WakeUps.Topic topic : loop.wakesOn()) {
      subscriptions.add(wakeUps.subscribe(topic, this::wake));
    }
  }

  public LoopThread start() {
    thread.start();
    return this;
  }

  /** Makes the loop turn soon; any number of calls before that count as one. */
  public void wake() {
    if (signal.availablePermits() == 0) {
      signal.release();
    }
  }

  /** Lets the loop end after the turn under way; returns at once. */
  public void end() {
    stopping = true;
    subscriptions.forEach(WakeUps.Subscription::close);
    wake();
  }

  /** Lets the turn under way end, then hands back what the loop holds. */
  @Override
  public void close() {
    end();
    try {
      if (thread.isAlive() && !thread.join(GRACE)) {
        LOG.warn("loop {} did not end its turn in {}", loop.name(), GRACE);
        thread.interrupt();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!stopping) {
      long start = System.nanoTime();
      boolean more = turn();
      rest(System.nanoTime() - start);
      if (!more) {
        await(loop.idle());
      }
    }
    try {
      loop.close();
    } catch (RuntimeException away) {
      LOG.warn("loop {} could not hand back what it held: {}", loop.name(), away.toString());
    }
  }

  /** A loop that is woken without end takes half of a core at the most. */
  private void rest(long tookNanos) {
    if (!stopping) {
      long even = Math.min(tookNanos, LONGEST_REST.toNanos());
      LockSupport.parkNanos(Math.max(even, loop.rest().toNanos()));
    }
  }

  private boolean turn() {
    long start = System.nanoTime();
    try {
      boolean more = loop.tick();
      if (lastFailure != null) {
        LOG.info("loop {} works again", loop.name());
        lastFailure = null;
      }
      return more;
    } catch (RuntimeException failed) {
      failures.increment();
      String failure = failed.toString();
      if (!failure.equals(lastFailure)) {
        LOG.warn("loop {} failed, trying again", loop.name(), failed);
      }
      lastFailure = failure;
      await(PAUSE);
      return false;
    } finally {
      turns.record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
    }
  }

  private void await(Duration most) {
    if (stopping) {
      return;
    }
    try {
      if (signal.tryAcquire(most.toMillis(), TimeUnit.MILLISECONDS)) {
        signal.drainPermits();
      }
    } catch (InterruptedException interrupted) {
      stopping = true;
    }
  }
}
