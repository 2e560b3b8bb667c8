package dev.fairlead.kernel.loop;

import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.kernel.problem.FatalErrors;
import dev.fairlead.kernel.transaction.LoopWork;
import dev.fairlead.work.event.WakeUps;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one loop on a separate thread. A pass that throws, an {@link Error} included, is counted,
 * logged and followed by a pause. Only errors in {@link FatalErrors} end the thread and the
 * process.
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
  private final TimeGauge age;
  private final FunctionCounter passedOver;
  private final MeterRegistry metrics;
  private final MonotonicClock clock;
  private final Set<LoopThread> running;
  private final Thread thread;
  private volatile boolean stopping;
  private volatile boolean turning;
  private volatile long turnBeganAt;
  private volatile long succeededAt;
  private @Nullable String lastFailure;

  /**
   * @param running holds this thread from its start to its end
   */
  LoopThread(
      Loop loop,
      WakeUps wakeUps,
      MeterRegistry metrics,
      MonotonicClock clock,
      Set<LoopThread> running) {
    this.loop = loop;
    this.metrics = metrics;
    this.clock = clock;
    this.running = running;
    this.succeededAt = clock.nanos();
    this.failures =
        metrics.counter(Metric.LOOP_FAILURES.meter(), Metric.LOOP_FAILURES.tags(loop.name()));
    this.turns = metrics.timer(Metric.LOOP_TURNS.meter(), Metric.LOOP_TURNS.tags(loop.name()));
    this.age =
        TimeGauge.builder(
                Metric.LOOP_SUCCESS_AGE.meter(),
                this,
                TimeUnit.NANOSECONDS,
                it -> it.status().sinceSuccess().toNanos())
            .tags(Metric.LOOP_SUCCESS_AGE.tags(loop.name()))
            .register(metrics);
    this.passedOver =
        FunctionCounter.builder(Metric.LOOP_PASSED_OVER.meter(), loop, Loop::passedOver)
            .tags(Metric.LOOP_PASSED_OVER.tags(loop.name()))
            .register(metrics);
    this.thread =
        Thread.ofPlatform().name("loop-" + loop.name()).unstarted(() -> LoopWork.run(this::run));
    for (WakeUps.Topic topic : loop.wakesOn()) {
      subscriptions.add(wakeUps.subscribe(topic, this::wake));
    }
  }

  public LoopThread start() {
    running.add(this);
    thread.start();
    return this;
  }

  LoopStatus status() {
    long now = clock.nanos();
    long began = turnBeganAt;
    return new LoopStatus(
        loop.name(),
        thread.isAlive(),
        turning ? Duration.ofNanos(now - began) : Duration.ZERO,
        sinceSuccess());
  }

  /** Time since the last successful pass. */
  public Duration sinceSuccess() {
    return Duration.ofNanos(clock.nanos() - succeededAt);
  }

  /** Triggers a pass soon. Several calls before that pass count as one. */
  public void wake() {
    if (signal.availablePermits() == 0) {
      signal.release();
    }
  }

  /** Ends the loop after the current pass. Returns immediately. */
  public void end() {
    stopping = true;
    running.remove(this);
    metrics.remove(age);
    metrics.remove(passedOver);
    subscriptions.forEach(WakeUps.Subscription::close);
    wake();
  }

  /** Ends the loop after the current pass, then releases its resources. */
  @Override
  public void close() {
    end();
    try {
      if (thread.isAlive() && !thread.join(GRACE)) {
        LOG.warn("loop {} did not end its pass in {}", loop.name(), GRACE);
        thread.interrupt();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!stopping) {
      try {
        long start = clock.nanos();
        boolean more = turn(start);
        rest(clock.nanos() - start);
        if (!more) {
          await(loop.idle());
        }
      } catch (Throwable failed) {
        failed(failed);
      }
    }
    try {
      loop.close();
    } catch (RuntimeException away) {
      LOG.warn("loop {} failed to release its lease: {}", loop.name(), away.toString());
    }
  }

  /**
   * Limits a loop that is woken all the time to half of a core, except while its passes advance
   * jobs.
   */
  private void rest(long tookNanos) {
    if (!stopping) {
      long even = loop.awaited() ? 0 : Math.min(tookNanos, LONGEST_REST.toNanos());
      LockSupport.parkNanos(Math.max(even, loop.rest().toNanos()));
    }
  }

  private boolean turn(long start) {
    turnBeganAt = start;
    turning = true;
    try {
      boolean more = loop.tick();
      succeededAt = clock.nanos();
      if (lastFailure != null) {
        LOG.info("loop {} works again", loop.name());
        lastFailure = null;
      }
      return more;
    } finally {
      turning = false;
      turns.record(clock.nanos() - start, TimeUnit.NANOSECONDS);
    }
  }

  private void failed(Throwable failed) {
    FatalErrors.rethrow(failed);
    failures.increment();
    String failure = failed.toString();
    if (!failure.equals(lastFailure)) {
      LOG.warn("loop {} failed, trying again", loop.name(), failed);
    }
    lastFailure = failure;
    await(PAUSE);
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
      LOG.debug("loop {} was interrupted", loop.name()); // it ends when requested
    }
  }
}
