package dev.fairlead.workload.kubernetes;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import io.github.resilience4j.timelimiter.TimeLimiter;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The gate in front of one cluster: so many calls at once, so many writes a second, none longer
 * than its time, and none at all for a while when too many failed. A slow cluster fills its own
 * gate only.
 */
final class ClusterCalls implements AutoCloseable {
  private final Bulkhead bulkhead;
  private final RateLimiter writes;
  private final CircuitBreaker breaker;
  private final TimeLimiter time;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("cluster-call-", 0).factory());

  ClusterCalls(Bulkhead bulkhead, RateLimiter writes, CircuitBreaker breaker, TimeLimiter time) {
    this.bulkhead = bulkhead;
    this.writes = writes;
    this.breaker = breaker;
    this.time = time;
  }

  /**
   * @throws CallFailure when it was held back, was not answered in time or was answered with an
   *     error
   */
  <T> T read(Callable<T> call) {
    return pass(Bulkhead.decorateCallable(bulkhead, guarded(call)));
  }

  /**
   * @throws CallFailure as {@link #read}
   */
  <T> T write(Callable<T> call) {
    return pass(
        RateLimiter.decorateCallable(writes, Bulkhead.decorateCallable(bulkhead, guarded(call))));
  }

  /** Whether calls are held back because too many failed. */
  boolean open() {
    return breaker.getState() == CircuitBreaker.State.OPEN;
  }

  private <T> Callable<T> guarded(Callable<T> call) {
    return CircuitBreaker.decorateCallable(
        breaker,
        () -> {
          try {
            // A call that takes too long is interrupted, so that it gives back its connection.
            return time.executeFutureSupplier(() -> threads.submit(call));
          } catch (Exception failed) {
            throw CallFailure.of(failed);
          }
        });
  }

  private static <T> T pass(Callable<T> gate) {
    try {
      return gate.call();
    } catch (BulkheadFullException | RequestNotPermitted full) {
      throw CallFailure.notSent("too many calls to this cluster at once", full);
    } catch (CallNotPermittedException open) {
      throw CallFailure.notSent(
          "calls to this cluster are held back because too many failed", open);
    } catch (Exception failed) {
      throw CallFailure.of(failed);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
