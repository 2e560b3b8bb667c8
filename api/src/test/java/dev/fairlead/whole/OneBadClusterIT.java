package dev.fairlead.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.figure.Figure;
import dev.fairlead.workload.kubernetes.BadClusters;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Of eight clusters one hangs and one lies. */
class OneBadClusterIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final Duration RUN = Duration.ofMillis(200);
  private static final int GOOD = 6;
  private static final int PER_SECOND = 20;

  /** So many that a p99 is more than the worst two. */
  private static final int ENOUGH = 1_000;

  /** What a machine does to a p99 by itself. */
  private static final double NOISE_MILLIS = 20;

  /** Of the same jobs, from their submit to RUNNING and from their end to its being stored. */
  private record Seen(Latencies launch, Latencies end) {}

  /**
   * The same jobs on the same six clusters, in turns without the two bad ones and with them. Fails
   * when one thread asks all clusters.
   */
  @Tag(Figure.TAG)
  @Test
  void aClusterThatHangsAndOneThatLiesHoldUpNobody(@TempDir Path keys) {
    int rounds = Figure.times(1, 6);
    int jobs = Figure.asked() ? 200 : 30;
    Seen without = new Seen(new Latencies(), new Latencies());
    Seen with = new Seen(new Latencies(), new Latencies());
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
      run(http, "warm", jobs, new Seen(new Latencies(), new Latencies()));
      for (int round = 0; round < rounds; round++) {
        supervised(http, false);
        run(http, "without-" + round, jobs, without);
        supervised(http, true);
        int asked = lying.asked();
        run(http, "with-" + round, jobs, with);
        assertThat(lying.asked()).isGreaterThan(asked);
      }
      assertThat(hanging.asked()).isPositive();
    }
    judge("submit to RUNNING", without.launch(), with.launch());
    judge("end to its being stored", without.end(), with.end());
  }

  private static void judge(String what, Latencies without, Latencies with) {
    Figure.seen(
        "G26",
        "%s, %d jobs each: p99 %d ms without and %d ms with a cluster that hangs and one that lies, p50 %d and %d"
            .formatted(
                what,
                with.count(),
                without.millisAt(99),
                with.millisAt(99),
                without.millisAt(50),
                with.millisAt(50)));
    if (with.count() >= ENOUGH) {
      assertThat((double) with.millisAt(99))
          .as(what)
          .isLessThan(1.2 * without.millisAt(99) + NOISE_MILLIS);
    }
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

  /** At a steady rate, over the good clusters in turn. */
  private static void run(Http http, String name, int jobs, Seen seen) {
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
    for (String path : paths) {
      await(path + " succeeds")
          .atMost(PATIENCE)
          .until(() -> http.get(path).json().get("state").asString(), "SUCCEEDED"::equals);
      JsonNode job = http.get(path).json();
      seen.launch().add(Duration.between(at(job, "createdAt"), at(job, "startedAt")));
      seen.end().add(Duration.between(at(job, "startedAt").plus(RUN), at(job, "endedAt")));
    }
  }

  private static Instant at(JsonNode job, String field) {
    return Instant.parse(job.get(field).asString());
  }
}
