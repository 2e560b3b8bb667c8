package dev.fairlead.bench.api;

import dev.fairlead.bench.Percentiles;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/**
 * Requests by the HTTP client of the JDK. At a rate each begins at its own time, whether the ones
 * before it are answered or not, and its latency counts from that time.
 */
final class Load {
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final String base;

  Load(String base) {
    this.base = base;
  }

  /**
   * Of requests at a rate.
   *
   * @param took of those that were answered 200
   * @param failure of the first of the others, empty when there is none
   */
  record Answers(Percentiles took, int failed, String failure) {}

  static String tool() {
    return "java.net.http of JDK " + Runtime.version();
  }

  /** One after the other. */
  Percentiles inTurn(int times, IntFunction<String> path) throws IOException, InterruptedException {
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

  private Duration get(String path, long from) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(base + path)).build();
    HttpResponse<byte[]> answer = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException(path + " answered " + answer.statusCode());
    }
    return Duration.ofNanos(System.nanoTime() - from);
  }
}
