package dev.fairlead.verify.faults.chaos;

import dev.fairlead.verify.Waiting;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A careful HTTP client, which uses any replica and repeats with the same key until the outcome is
 * known.
 */
final class Client implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Set<Integer> LATER = Set.of(429, 503);
  private static final String IN_FLIGHT = "IDEMPOTENCY_IN_FLIGHT";
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private final List<Replica> replicas;
  private final History history;

  Client(List<Replica> replicas, History history) {
    this.replicas = replicas;
    this.history = history;
  }

  /** A final response. */
  record Answer(int status, String body) {
    String text(String field) {
      return JSON.readTree(body).path(field).asString("");
    }
  }

  /**
   * Sends until a final response arrives.
   *
   * @param key idempotency key, null for a request that may be repeated unchanged
   * @throws IllegalStateException when there is none for minutes
   */
  Answer post(String path, String body, @Nullable String key, RandomGenerator random)
      throws InterruptedException {
    return send("POST", path, body, key, random);
  }

  /** Sends a PUT request. */
  Answer put(String path, String body, RandomGenerator random) throws InterruptedException {
    return send("PUT", path, body, null, random);
  }

  private Answer send(
      String method, String path, String body, @Nullable String key, RandomGenerator random)
      throws InterruptedException {
    long start = System.nanoTime();
    while (System.nanoTime() - start < Waiting.PATIENCE.toNanos()) {
      Replica replica = replicas.get(random.nextInt(replicas.size()));
      Answer answer = once(replica.address(), method, path, body, key);
      if (answer != null && decides(answer)) {
        return answer;
      }
      history.repeated();
      Thread.sleep(100 + random.nextInt(300));
    }
    throw new IllegalStateException(
        "no conclusive answer to " + method + " " + path + " in " + Waiting.PATIENCE);
  }

  private boolean decides(Answer answer) {
    if (LATER.contains(answer.status())) {
      return false;
    }
    if (answer.status() >= 500) {
      history.surprise("answer " + answer.status() + ": " + answer.body());
      return false;
    }
    return answer.status() != 409 || !answer.text("code").equals(IN_FLIGHT);
  }

  private @Nullable Answer once(
      URI address, String method, String path, String body, @Nullable String key)
      throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address.resolve("/api/v1" + path))
            .timeout(TIMEOUT)
            .header("Accept", "application/json")
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (key != null) {
      request.header("Idempotency-Key", key);
    }
    try {
      HttpResponse<String> answer =
          http.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Answer(answer.statusCode(), answer.body());
    } catch (IOException unknownOutcome) {
      return null;
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
