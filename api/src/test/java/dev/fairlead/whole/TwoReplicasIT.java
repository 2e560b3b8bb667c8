package dev.fairlead.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.workload.kubernetes.KubernetesCluster;
import dev.fairlead.workload.kubernetes.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Two processes of the service on one database and one real control plane. */
@ExtendWith(KubernetesCluster.class)
class TwoReplicasIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String JOB =
      "{image: x, gpu: 1, placement: {clusters: [shared-1]}, annotations: {sim.fairlead.dev/run-for: %s}}";

  /** Fails when a lease is not handed back: the other would have to wait for the whole duration. */
  @Test
  void theOtherGoesOnAtOnceWhenOneShutsDownAndNothingRunsTwice(@TempDir Path keys) {
    TestCluster cluster = KubernetesCluster.shared();
    cluster.nodes("replicas", 2, 8, 1);
    String key = "--fairlead.key-file=" + keys.resolve("key");
    try (EmbeddedDatabase database = EmbeddedDatabase.start();
        RunningFairlead second = startAfterFirst(database, key, cluster)) {
      Http http = second.http();
      String job = http.get("/api/v1/jobs").json().at("/items/0/id").asString();
      await()
          .atMost(PATIENCE)
          .until(() ->
              http.get("/api/v1/jobs/" + job).json().get("state").asString().equals("SUCCEEDED"));
      assertThat(http.get("/api/v1/jobs/" + job + "/attempts").json().get("items")).hasSize(1);
      String next = submit(http, "1s");
      await()
          .atMost(PATIENCE)
          .until(() -> http.get(next).json().get("state").asString().equals("SUCCEEDED"));
    }
  }

  /** A first process runs a job; a second joins; the first shuts down. */
  private static RunningFairlead startAfterFirst(
      EmbeddedDatabase database, String key, TestCluster cluster) {
    RunningFairlead first = RunningFairlead.startBehind(database, database.url(), key);
    Http http = first.http();
    String body =
        JsonMapper.builder()
            .build()
            .writeValueAsString(
                new TreeMap<>(Map.of("name", "shared-1", "kubeconfig", cluster.kubeconfig())));
    assertThat(http.json("/api/v1/clusters", body).status()).isEqualTo(201);
    String job = submit(http, "15s");
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().get("state").asString().equals("RUNNING"));
    RunningFairlead second = RunningFairlead.startBehind(database, database.url(), key);
    first.end();
    return second;
  }

  private static String submit(Http http, String runFor) {
    Http.Answer answer = http.yaml("/api/v1/projects/default/jobs", JOB.formatted(runFor));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }
}
