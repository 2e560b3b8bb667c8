package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.figures.Figure;
import dev.fairlead.work.workload.kubernetes.BadClusters;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Of eight clusters one hangs and one reports false states. */
@Tag("long")
class OneBadClusterIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final Duration RUN = Duration.ofMillis(200);
  private static final int GOOD = 6;
  private static final int PER_SECOND = 20;

  /** Enough samples that a busy moment of the machine does not determine the median. */
  private static final int ENOUGH_ROUNDS = 5;

  /** The effect of the machine alone on a p99. */
  private static final double NOISE_MILLIS = 20;

  /**
   * Durations of the jobs of a round, from their submit to RUNNING and from their end to its
   * storage.
   */
  private record Seen(Latencies launch, Latencies end) {
    Seen() {
      this(new Latencies(), new Latencies());
    }
  }

  /**
   * Runs the same jobs on the same six clusters, alternately with and without two faulty clusters.
   * Fails in the long form when one thread queries all clusters.
   */
  @Tag(Figure.TAG)
  @Test
  void hangingAndLyingClustersDelayNoOther(@TempDir Path keys) {
    int rounds = Figure.times(1, 6);
    int jobs = Figure.asked() ? 200 : 30;
    long lies = 0;
    long nanos = 0;
    List<Seen> without = new ArrayList<>();
    List<Seen> with = new ArrayList<>();
    try (BadClusters.Bad hanging = BadClusters.hanging();
        BadClusters.Bad lying = BadClusters.lying();
        RunningFairlead fairlead =
            RunningFairlead.start("--fairlead.key-file=" + keys.resolve("key"))) {
      Http http = fairlead.http();
      for (int i = 0; i < GOOD; i++) {
        register(
            http,
            "{\"name\":\"good-"
                + i
                + "\",\"kind\":\"SIMULATED\",\"fleet\":[{\"nodes\":4,\"gpusPerNode\":8,\"model\":\"H100\"}]}");
      }
      register(http, body("hangs", hanging.kubeconfig()));
      register(http, body("lies", lying.kubeconfig()));
      run(http, "warm", jobs);
      await("the lies are believed")
          .atMost(PATIENCE)
          .until(() -> !http.get("/api/v1/nodes?cluster=lies").json().get("items").isEmpty());
      for (int round = 0; round < rounds; round++) {
        supervised(http, false);
        without.add(run(http, "without-" + round, jobs));
        supervised(http, true);
        int told = lying.told();
        long began = System.nanoTime();
        with.add(run(http, "with-" + round, jobs));
        assertThat(lying.told()).as("lies told meanwhile").isGreaterThan(told + jobs);
        lies += lying.told() - told;
        nanos += System.nanoTime() - began;
      }
      assertThat(hanging.asked()).isPositive();
    }
    Figure.seen("G26", "%d lies a second".formatted(lies * 1_000_000_000L / nanos));
    SoftAssertions both = new SoftAssertions();
    judge(both, "submit to RUNNING", without, with, Seen::launch);
    judge(both, "end to its being stored", without, with, Seen::end);
    both.assertAll();
  }

  /**
   * Uses the median round in each direction, because a brief stall of the machine affects one
   * round.
   */
  private static void judge(
      SoftAssertions judged,
      String what,
      List<Seen> without,
      List<Seen> with,
      Function<Seen, Latencies> which) {
    long before = middle(without, which, 99);
    long beside = middle(with, which, 99);
    Figure.seen(
        "G26",
        "%s, %d rounds each: p99 of the middle round %d ms without and %d ms with a cluster that hangs and one that lies, p50 %d and %d"
            .formatted(
                what,
                with.size(),
                before,
                beside,
                middle(without, which, 50),
                middle(with, which, 50)));
    if (with.size() >= ENOUGH_ROUNDS) {
      judged.assertThat((double) beside).as(what).isLessThan(1.2 * before + NOISE_MILLIS);
    }
  }

  private static long middle(List<Seen> rounds, Function<Seen, Latencies> which, double percent) {
    return rounds.stream()
        .map(which)
        .map(latencies -> latencies.millisAt(percent))
        .sorted()
        .skip(rounds.size() / 2)
        .findFirst()
        .orElseThrow();
  }

  private static void register(Http http, String body) {
    Http.Answer answer = http.json("/api/v1/clusters", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
  }

  private static String body(String name, String kubeconfig) {
    return JsonMapper.builder()
        .build()
        .writeValueAsString(new TreeMap<>(Map.of("name", name, "kubeconfig", kubeconfig)));
  }

  private static void supervised(Http http, boolean bad) {
    for (String name : List.of("hangs", "lies")) {
      String path = "/api/v1/clusters/" + name;
      String wanted = bad ? "{\"state\":\"ACTIVE\"}" : "{\"state\":\"DISABLED\"}";
      await(name + " is taken in or out")
          .atMost(PATIENCE)
          .until(() ->
              http.send(
                          "PATCH",
                          path,
                          wanted,
                          "Content-Type",
                          "application/merge-patch+json",
                          "If-Match",
                          http.get(path).header("ETag"))
                      .status()
                  == 200);
    }
  }

  /** At a constant rate, over the healthy clusters in rotation. */
  private static Seen run(Http http, String name, int jobs) {
    List<String> paths = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      String job =
          "{name: %s-%d, image: x, gpu: 1, placement: {clusters: [good-%d]}, annotations: {sim.fairlead.dev/run-for: %dms}}"
              .formatted(name, i, i % GOOD, RUN.toMillis());
      Http.Answer answer = http.yaml("/api/v1/projects/default/jobs", job);
      assertThat(answer.status()).as(answer.body()).isEqualTo(201);
      paths.add("/api/v1/jobs/" + answer.json().get("id").asString());
      LockSupport.parkNanos(1_000_000_000L / PER_SECOND);
    }
    Seen seen = new Seen();
    for (String path : paths) {
      await(path + " succeeds")
          .atMost(PATIENCE)
          .until(() -> http.get(path).json().path("state").asString(""), "SUCCEEDED"::equals);
      JsonNode job = http.get(path).json();
      seen.launch().add(Duration.between(at(job, "createdAt"), at(job, "startedAt")));
      seen.end().add(Duration.between(at(job, "startedAt").plus(RUN), at(job, "endedAt")));
    }
    return seen;
  }

  private static Instant at(JsonNode job, String field) {
    return Instant.parse(job.get(field).asString());
  }
}
