package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Two real control planes, one of which has the data. */
@Tag("long")
@OnControlPlane
class KubernetesClaimsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final String JOBS = "/api/v1/projects/claims/jobs";
  private static List<TestCluster> clusters;
  private static RunningFairlead fairlead;
  private static Http http;

  @BeforeAll
  static void twoClustersWithANodeEach(@TempDir Path keys) {
    clusters = KubernetesCluster.several(2);
    fairlead =
        RunningFairlead.start(
            "--fairlead.key-file=" + keys.resolve("key"),
            "--fairlead.placement.node-labels=topology.fairlead.dev/rack");
    http = fairlead.http();
    for (int i = 0; i < 2; i++) {
      List<String> nodes = clusters.get(i).nodes("claims-" + i, 1, 4, 1);
      TreeMap<String, String> body = new TreeMap<>();
      body.put("name", "claims-" + i);
      body.put("kubeconfig", clusters.get(i).kubeconfig());
      Http.Answer answer =
          http.json("/api/v1/clusters", JsonMapper.builder().build().writeValueAsString(body));
      assertThat(answer.status()).as(answer.body()).isEqualTo(201);
      await()
          .atMost(PATIENCE)
          .until(() ->
              http.get("/api/v1/nodes/" + nodes.getFirst())
                  .json()
                  .path("state")
                  .asString("")
                  .equals("ACTIVE"));
    }
    http.json("/api/v1/projects", "{\"name\":\"claims\"}");
  }

  @AfterAll
  static void theServiceEnds() {
    if (fairlead != null) {
      fairlead.close();
    }
  }

  private static String submit(String more) {
    Http.Answer answer = http.yaml(JOBS, "{image: x, gpu: 1, " + more + "}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static void awaitState(String job, String state) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(http.get(job).json().path("state").asString("")).isEqualTo(state));
  }

  private static List<JsonNode> attempts(String job) {
    return http.get(job + "/attempts").json().get("items").valueStream().toList();
  }

  private static String clusterOf(JsonNode attempt) {
    return attempt.get("cluster").asString();
  }

  private static String cluster(int i) {
    return "placement: {clusters: [claims-%d]}, annotations: {sim.fairlead.dev/run-for: 1s}"
        .formatted(i);
  }

  private static String lasting(String claim) {
    return "annotations: {sim.fairlead.dev/run-for: 1h}, volumes: [{claim: %s, mountPath: /data}]"
        .formatted(claim);
  }

  /** Fails when a job ends at the first cluster without its claim, or starts there without it. */
  @Test
  void jobRunsOnTheClusterOfItsClaimDespiteItsPreference() {
    // The free node that a job without claims uses is the node on which a job with a claim is
    // tried first.
    String plain = submit("annotations: {sim.fairlead.dev/run-for: 1s}");
    awaitState(plain, "SUCCEEDED");
    int first = clusterOf(attempts(plain).getFirst()).equals("claims-0") ? 0 : 1;
    int data = 1 - first;
    awaitState(submit(cluster(data)), "SUCCEEDED");
    String namespace = http.namespace("claims");
    clusters.get(data).claim(namespace, "data");

    String job = submit(lasting("data"));

    awaitState(job, "RUNNING");
    List<JsonNode> attempts = attempts(job);
    assertThat(attempts.stream().map(KubernetesClaimsIT::clusterOf))
        .containsExactlyInAnyOrder("claims-0", "claims-1");
    assertThat(attempts.toString()).contains("claim data in namespace " + namespace);
    for (JsonNode attempt : attempts) {
      boolean atData = clusterOf(attempt).equals("claims-" + data);
      String id = attempt.get("id").asString();
      assertThat(clusters.get(atData ? data : first).wanted(namespace))
          .filteredOn(pod -> pod.contains(id.substring(id.indexOf('_') + 1)))
          .hasSize(atData ? 1 : 0);
    }
    http.json(job + "/cancel", "");
    awaitState(job, "CANCELLED");
  }

  /** Fails when a claim that no cluster has is searched endlessly. */
  @Test
  void claimMissingOnBothClustersFailsTheJobAndIsNamed() {
    String job = submit(lasting("nothing"));

    awaitState(job, "FAILED");

    assertThat(http.get(job).body()).contains("CONFIGURATION", "no volume claim nothing");
    assertThat(attempts(job)).hasSize(2);
  }
}
