package dev.fairlead.verify;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Clients that send one request after another. */
public final class Clients {
  private Clients() {}

  /**
   * Sends requests by several concurrent clients.
   *
   * @return duration of each request
   * @throws IllegalStateException when a request failed
   */
  public static List<Duration> each(int clients, int requests, Runnable request)
      throws InterruptedException {
    AtomicInteger left = new AtomicInteger(requests);
    Callable<List<Duration>> client =
        () -> {
          List<Duration> took = new ArrayList<>();
          while (left.getAndDecrement() > 0) {
            long start = System.nanoTime();
            request.run();
            took.add(Duration.ofNanos(System.nanoTime() - start));
          }
          return took;
        };
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Duration> all = new ArrayList<>();
      for (Future<List<Duration>> done : threads.invokeAll(Collections.nCopies(clients, client))) {
        all.addAll(done.get());
      }
      return all;
    } catch (ExecutionException failed) {
      throw new IllegalStateException("a submit failed: " + failed.getCause(), failed);
    }
  }
}
