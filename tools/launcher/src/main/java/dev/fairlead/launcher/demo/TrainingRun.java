package dev.fairlead.launcher.demo;

import dev.fairlead.launcher.ApiRefusal;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * A training job of four processes, followed through Fairlead's log endpoint. One worker is killed
 * during the run.
 */
final class TrainingRun {
  private static final String JOBS = "/projects/default/jobs";
  private static final String VICTIM = "worker-2";
  private static final int KILL_AT_STEP = 110;
  private static final int ATTEMPTS = 2;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Creates the project's namespace on the cluster for the claim. */
  private static final String FIRST =
      "{name: hello, image: 'localhost/job:1', cpu: 50m, memory: 64Mi, shm: 16Mi, run: [python3,"
          + " --version]}";

  private final FairleadApi api;
  private final RealFleet fleet;
  private final PrintStream out;
  private final LossCurve curve = new LossCurve();
  private boolean killed;

  TrainingRun(FairleadApi api, RealFleet fleet, PrintStream out) {
    this.api = api;
    this.fleet = fleet;
    this.out = out;
  }

  /** Runs the job to its end and returns the differences from the expected course. */
  List<String> play(Path examples, Path volume) throws InterruptedException {
    String hello = submit(FIRST);
    Patience.await("the first job", PATIENCE, () -> ended(hello));
    prepare(examples, volume);
    fleet.claim(namespace(), "training", volume);
    String job = submit(read(examples.resolve("train.yaml")));
    for (int attempt = 1; attempt <= ATTEMPTS && !ended(job); attempt++) {
      int number = attempt;
      Patience.await(
          "attempt " + number, PATIENCE, () -> ended(job) || !state(job, number).isEmpty());
      follow(job, number);
      Patience.await("the end of attempt " + number, PATIENCE, () -> over(job, number));
      report(job, number);
    }
    Patience.await("the end of the job", PATIENCE, () -> ended(job));
    JsonNode last = api.get("/jobs/" + job);
    out.println(
        "job " + last.path("state").asString("") + " after attempt " + last.path("attempt"));
    return curve.differences(last, killed);
  }

  /** Prints the output of the first member until the attempt is over. */
  private void follow(String job, int attempt) throws InterruptedException {
    String path = "/jobs/" + job + "/logs?follow=true&member=worker-0&attempt=" + attempt;
    while (!over(job, attempt)) {
      try (Stream<String> lines = api.lines(path)) {
        for (String line : (Iterable<String>) lines::iterator) {
          hear(job, line);
        }
      } catch (ApiRefusal notYet) {
        Thread.sleep(Duration.ofMillis(300)); // its container has not started
      }
    }
  }

  private void hear(String job, String line) throws InterruptedException {
    if (!curve.hear(line)) {
      return;
    }
    out.println("  " + line);
    if (!killed && curve.step() >= KILL_AT_STEP) {
      killed = true;
      JsonNode member = member(job);
      out.println("killing " + VICTIM + " on " + member.path("node").asString(""));
      fleet.kill(namespace(), member.path("pod").asString(""), member.path("node").asString(""));
    }
  }

  private JsonNode member(String job) {
    return attempt(job, 1)
        .path("members")
        .valueStream()
        .filter(m -> VICTIM.equals(m.path("role").asString("") + "-" + m.path("index").asInt()))
        .findFirst()
        .orElseThrow(() -> new StartFailed("the job has no member " + VICTIM));
  }

  private void report(String job, int number) {
    JsonNode attempt = attempt(job, number);
    out.println("attempt " + number + " " + attempt.path("state").asString(""));
    if (attempt.path("message").isString()) {
      out.println(
          "  " + attempt.path("cause").asString("") + ": " + attempt.path("message").asString(""));
    }
    for (JsonNode member : attempt.path("members")) {
      out.println(
          "  %s-%d on %s ended with exit code %s"
              .formatted(
                  member.path("role").asString(""),
                  member.path("index").asInt(),
                  member.path("node").asString(""),
                  member.path("exitCode")));
    }
  }

  private String namespace() {
    return api.get("/projects/default").path("namespace").asString("");
  }

  private String submit(String yaml) {
    String id = api.postYaml(JOBS, yaml).path("id").asString("");
    out.println("submitted " + api.get("/jobs/" + id).path("name").asString("") + " as " + id);
    return id;
  }

  private boolean ended(String job) {
    return List.of("SUCCEEDED", "FAILED", "CANCELLED")
        .contains(api.get("/jobs/" + job).path("state").asString(""));
  }

  private boolean over(String job, int attempt) {
    return List.of("SUCCEEDED", "FAILED", "PREEMPTED", "EVICTED", "LOST", "CANCELLED")
        .contains(state(job, attempt));
  }

  private String state(String job, int number) {
    return attempt(job, number).path("state").asString("");
  }

  private JsonNode attempt(String job, int number) {
    JsonNode items = api.get("/jobs/" + job + "/attempts").path("items");
    return items
        .valueStream()
        .filter(a -> a.path("number").asInt() == number)
        .findFirst()
        .orElse(tools.jackson.databind.node.MissingNode.getInstance());
  }

  /**
   * Copies the program to the directory of its checkpoints, and deletes the checkpoints of an
   * earlier run.
   */
  private static void prepare(Path examples, Path volume) {
    try {
      Files.createDirectories(volume);
      Files.deleteIfExists(volume.resolve("checkpoint.pt"));
      Files.copy(
          examples.resolve("train.py"),
          volume.resolve("train.py"),
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new StartFailed(volume + " cannot be filled: " + e.getMessage(), e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new StartFailed(file + " cannot be read: " + e.getMessage(), e);
    }
  }
}
