package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Two processes of the service on one database and one real control plane. */
@OnControlPlane
class TwoReplicasIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String JOB =
      "{image: x, gpu: 1, placement: {clusters: [shared-1]}, annotations:"
          + " {sim.fairlead.dev/run-for: %s}}";

  /** Fails when a lease is not released: the other replica would wait for its whole duration. */
  @Test
  void theOtherReplicaTakesOverOnShutdownAndNothingRunsTwice(@TempDir Path keys) {
    TestCluster cluster = KubernetesCluster.shared();
    cluster.nodes("replicas", 2, 8, 1);
    String key = "--fairlead.key-file=" + keys.resolve("key");
    try (EmbeddedDatabase database = EmbeddedDatabase.start();
        RunningFairlead second = startAfterFirst(database, key, cluster)) {
      Http http = second.http();
      succeedsOnce(
          http, "/api/v1/jobs/" + http.get("/api/v1/jobs").json().at("/items/0/id").asString());
      succeedsOnce(http, submit(http, "1s"));
    }
  }

  /**
   * The active replica loses its database and cannot release its leases, so the other waits until
   * they expire. Then the first process returns, and both run again.
   */
  @Tag("long")
  @Test
  void theOtherReplicaTakesOverFromAPartitionedOneAndNothingRunsTwice(@TempDir Path keys) {
    TestCluster cluster = KubernetesCluster.shared();
    cluster.nodes("replicas", 2, 8, 1);
    String[] options = {
      "--fairlead.key-file=" + keys.resolve("key"),
      "--fairlead.lease.duration=3s",
      "--fairlead.lease.renew=1s",
      "--fairlead.lease.self-stop=2s"
    };
    try (EmbeddedDatabase database = EmbeddedDatabase.start();
        CuttableProxy line = CuttableProxy.to(database);
        RunningFairlead first =
            RunningFairlead.startBehind(database, line.url(database), options)) {
      String job = registerAndRun(first.http(), cluster, "15s");
      RunningFairlead second = RunningFairlead.startBehind(database, database.url(), options);
      try {
        Http http = second.http();
        line.cut();
        succeedsOnce(http, job);
        succeedsOnce(http, submit(http, "1s"));
        line.restore();
        await().atMost(PATIENCE).until(() -> first.http().get("/api/v1/jobs").status() == 200);
        succeedsOnce(http, submit(first.http(), "1s"));
      } finally {
        second.end();
      }
    }
  }

  private static void succeedsOnce(Http http, String job) {
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().path("state").asString("").equals("SUCCEEDED"));
    assertThat(http.get(job + "/attempts").json().get("items")).hasSize(1);
  }

  /** A first process runs a job; a second joins; the first shuts down. */
  private static RunningFairlead startAfterFirst(
      EmbeddedDatabase database, String key, TestCluster cluster) {
    RunningFairlead first = RunningFairlead.startBehind(database, database.url(), key);
    registerAndRun(first.http(), cluster, "15s");
    RunningFairlead second = RunningFairlead.startBehind(database, database.url(), key);
    first.end();
    return second;
  }

  /** A running job on the cluster. */
  private static String registerAndRun(Http http, TestCluster cluster, String runFor) {
    String body =
        JsonMapper.builder()
            .build()
            .writeValueAsString(
                new TreeMap<>(Map.of("name", "shared-1", "kubeconfig", cluster.kubeconfig())));
    assertThat(http.json("/api/v1/clusters", body).status()).isEqualTo(201);
    String job = submit(http, runFor);
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().path("state").asString("").equals("RUNNING"));
    return job;
  }

  private static String submit(Http http, String runFor) {
    Http.Answer answer = http.yaml("/api/v1/projects/default/jobs", JOB.formatted(runFor));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }
}
