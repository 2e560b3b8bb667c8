package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A member is removed through one of two processes while it uses the other. */
class RemovedMemberIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /**
   * The promised time under {@code make security}; a suite that runs concurrently with others is
   * slower.
   */
  private static final Duration PROMISED =
      System.getProperty("fairlead.long") == null ? PATIENCE : Duration.ofSeconds(5);

  private static final String SPEC =
      "{name: speaks, image: x, gpu: 1, annotations: {sim.fairlead.dev/run-for: 1h}}";

  /**
   * Fails when a process caches a membership for too long, or an open stream does not check it
   * again.
   */
  @Test
  void requestsAndStreamsOfARemovedMemberEndWithinFiveSecondsOnTheOtherReplica(@TempDir Path keys)
      throws IOException, InterruptedException {
    String key = "--fairlead.key-file=" + keys.resolve("key");
    try (EmbeddedDatabase database = MigratedDatabase.start()) {
      RunningFairlead one = RunningFairlead.startBehind(database, database.url(), key);
      RunningFairlead other = RunningFairlead.startBehind(database, database.url(), key);
      try {
        String job = running(one.http());
        String[] ana = member(one.http());
        leaves(one.http(), other.http(), ana, job);
      } finally {
        other.end();
        one.end();
      }
    }
  }

  private static String running(Http http) {
    String cluster =
        "{name: talks, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}";
    assertThat(http.yaml("/api/v1/clusters", cluster).status()).isEqualTo(201);
    String job = http.yaml("/api/v1/projects/default/jobs", SPEC).json().get("id").asString();
    String path = "/api/v1/jobs/" + job;
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(path).json().path("state").asString(""), "RUNNING"::equals);
    return path;
  }

  private static String[] member(Http http) {
    Http.Answer made = http.yaml("/api/v1/tokens", "{name: t, user: ana, role: tenant-member}");
    return new String[] {"Authorization", "Bearer " + made.json().get("token").asString()};
  }

  private static void leaves(Http one, Http other, String[] ana, String job)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient();
        InputStream events = stream(client, other, "/api/v1/events/stream?since=1h", ana);
        InputStream logs = stream(client, other, job + "/logs?follow=true", ana)) {
      assertThat(events.read()).isPositive();
      assertThat(logs.read()).isPositive();
      assertThat(other.get("/api/v1/me", ana).status()).isEqualTo(200);

      assertThat(one.send("DELETE", "/api/v1/tenants/default/members/ana", null).status())
          .isEqualTo(204);

      long from = System.nanoTime();
      await().atMost(PROMISED).until(() -> other.get("/api/v1/me", ana).status() == 401);
      told("requests", from);
      CompletableFuture<Void> lastEvent = end(events);
      CompletableFuture<Void> lastLine = end(logs);
      await().atMost(PROMISED).until(lastEvent::isDone);
      told("an open event stream", from);
      await().atMost(PROMISED).until(lastLine::isDone);
      told("an open log stream", from);
    }
  }

  private static InputStream stream(HttpClient client, Http http, String path, String[] headers)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(http.base() + path)).headers(headers).build();
    return client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body();
  }

  /** Done when no further data arrives, with any kind of end. */
  private static CompletableFuture<Void> end(InputStream stream) {
    return CompletableFuture.runAsync(() -> {
      try {
        stream.transferTo(OutputStream.nullOutputStream());
      } catch (IOException broken) {
        throw new UncheckedIOException(broken);
      }
    });
  }

  private static void told(String what, long from) {
    Duration took = Duration.ofNanos(System.nanoTime() - from);
    assertThat(took).as(what).isLessThan(PROMISED);
    System.out.printf(
        Locale.ROOT,
        "security removed member: %s at another process ended after %.1f s%n",
        what,
        took.toMillis() / 1000.0);
  }
}
