package dev.fairlead.verify.load.api;

import dev.fairlead.verify.Percentiles;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/**
 * Requests over keep-alive connections, each with one request at a time. At a rate each request
 * begins at its scheduled time, independently of earlier responses, and its latency counts from
 * that time, so the wait for a stalled service counts.
 */
final class Load {
  private final URI service;
  private final String prefix;
  private final Deque<PersistentConnection> idle = new ConcurrentLinkedDeque<>();

  /**
   * @param prefix prefix of every path
   */
  Load(URI service, String prefix) {
    this.service = service;
    this.prefix = prefix;
  }

  static String tool() {
    return "bench-api of this version, sockets of JDK " + Runtime.version();
  }

  /**
   * Result of requests at a rate.
   *
   * @param took durations of responses with status 200
   * @param failure failure of the first other response, empty if none
   */
  record Answers(Percentiles took, int failed, String failure) {}

  /** Sends requests one after the other. */
  Percentiles inTurn(int times, IntFunction<String> path) throws IOException {
    List<Duration> took = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      took.add(get(path.apply(i), System.nanoTime()));
    }
    return new Percentiles(took);
  }

  Answers atRate(int perSecond, Duration time, IntFunction<String> path)
      throws InterruptedException {
    int requests = (int) (perSecond * time.toSeconds());
    long start = System.nanoTime() + Duration.ofMillis(100).toNanos();
    List<Future<Duration>> answers = new ArrayList<>();
    try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < requests; i++) {
        long due = start + i * 1_000_000_000L / perSecond;
        String what = path.apply(i);
        Thread.sleep(Duration.ofNanos(Math.max(0, due - System.nanoTime())));
        answers.add(callers.submit(() -> get(what, due)));
      }
    }
    return answers(answers);
  }

  private static Answers answers(List<Future<Duration>> answers) throws InterruptedException {
    List<Duration> took = new ArrayList<>();
    String failure = "";
    for (Future<Duration> answer : answers) {
      try {
        took.add(answer.get());
      } catch (ExecutionException failed) {
        failure = failure.isEmpty() ? String.valueOf(failed.getCause()) : failure;
      }
    }
    return new Answers(new Percentiles(took), answers.size() - took.size(), failure);
  }

  private Duration get(String path, long from) throws IOException {
    PersistentConnection free = idle.pollFirst();
    PersistentConnection connection = free == null ? new PersistentConnection(service) : free;
    int status = connection.get(prefix + path);
    if (connection.open()) {
      idle.addFirst(connection);
    }
    if (status != 200) {
      throw new IllegalStateException(path + " answered " + status);
    }
    return Duration.ofNanos(System.nanoTime() - from);
  }
}
