package dev.fairlead.work.workload.kubernetes.call;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import io.github.resilience4j.timelimiter.TimeLimiter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The gate in front of one cluster. It limits concurrent calls, writes per second and the duration
 * of each call, and holds all calls back for a while after too many failures. A slow cluster only
 * affects its own gate.
 */
public final class ClusterCalls implements AutoCloseable {
  private static final String FULL = "too many concurrent calls to this cluster";
  private static final String HELD_BACK =
      "calls to this cluster are held back because too many failed";

  private final CallSlots slots;
  private final Duration patience;
  private final RateLimiter writes;
  private final CircuitBreaker breaker;
  private final TimeLimiter time;
  private final InFlight inFlight;
  private final AtomicInteger away;
  private final CallMeters meters;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("cluster-call-", 0).factory());

  /** Measured by the monotonic clock, 0 for never. */
  private volatile long heldUntil;

  ClusterCalls(
      Duration patience,
      RateLimiter writes,
      CircuitBreaker breaker,
      TimeLimiter time,
      InFlight inFlight,
      AtomicInteger away,
      CallMeters meters) {
    this.slots = meters.slots();
    this.patience = patience;
    this.writes = writes;
    this.breaker = breaker;
    this.time = time;
    this.inFlight = inFlight;
    this.away = away;
    this.meters = meters;
  }

  /** Records that the cluster no longer answers. */
  public void leaves() {
    away.incrementAndGet();
  }

  /** Records that the cluster answers again. Failures in the meantime hold back no calls. */
  public void returns() {
    away.decrementAndGet();
    breaker.reset();
  }

  /** Returns the number of this process's clusters that do not answer now. */
  public int away() {
    return away.get();
  }

  /** Returns the creates with unknown effect, including earlier connections to the cluster. */
  public InFlight inFlight() {
    return inFlight;
  }

  /**
   * @throws CallFailure if the call was held back, was not answered in time or was answered with an
   *     error
   */
  public <T> T read(Callable<T> call) {
    return pass(() -> inSlot(guarded(call), (failure, nanos) -> slots.read(failure)));
  }

  /**
   * @throws CallFailure as {@link #read}
   */
  public <T> T write(Callable<T> call) {
    return pass(RateLimiter.decorateCallable(writes, () -> inSlot(guarded(call), slots::written)));
  }

  /** Counts an object of Fairlead that others had changed and that was restored. */
  public void repaired() {
    meters.repaired();
  }

  /** Counts a quota that blocked a job and was removed. */
  public void quotaRemoved() {
    meters.quotaRemoved();
  }

  /** Returns whether calls are held back after too many failures. */
  public boolean open() {
    return breaker.getState() == CircuitBreaker.State.OPEN;
  }

  /** Sends no calls for this time, because the cluster requested it. */
  public void holdBack(Duration time) {
    heldUntil = System.nanoTime() + time.toNanos();
  }

  private boolean heldBack() {
    long until = heldUntil;
    return until != 0 && System.nanoTime() - until < 0;
  }

  private interface Leave {
    /**
     * @param failure null if the call was answered
     */
    void slot(@Nullable CallFailure failure, long nanos);
  }

  /** The load of the cluster is unknown after a call that was not sent or was refused. */
  private <T> T inSlot(Callable<T> call, Leave leave) throws Exception {
    if (!slots.take(patience)) {
      throw CallFailure.notSent(
          FULL, new IllegalStateException(slots.limit() + " calls are running"));
    }
    long began = System.nanoTime();
    CallFailure failure = null;
    try {
      return call.call();
    } catch (CallNotPermittedException open) {
      failure = CallFailure.notSent(HELD_BACK, open);
      throw failure;
    } catch (Exception failed) {
      failure = CallFailure.of(failed);
      throw failure;
    } finally {
      leave.slot(failure, System.nanoTime() - began);
    }
  }

  private <T> Callable<T> guarded(Callable<T> call) {
    return CircuitBreaker.decorateCallable(
        breaker,
        () -> {
          try { // interrupt a call that takes too long, so that it releases its connection
            return time.executeFutureSupplier(() -> threads.submit(call));
          } catch (Exception failed) {
            throw CallFailure.of(failed);
          }
        });
  }

  private <T> T pass(Callable<T> gate) {
    long began = System.nanoTime();
    try {
      T answer = let(gate);
      meters.ended(null, System.nanoTime() - began);
      return answer;
    } catch (CallFailure failed) {
      meters.ended(failed, System.nanoTime() - began);
      throw failed;
    }
  }

  private <T> T let(Callable<T> gate) {
    if (heldBack()) {
      throw CallFailure.notSent(
          "the cluster asked clients to back off", new IllegalStateException("Retry-After"));
    }
    try {
      return gate.call();
    } catch (RequestNotPermitted full) {
      throw CallFailure.notSent(FULL, full);
    } catch (Exception failed) {
      throw CallFailure.of(failed);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
