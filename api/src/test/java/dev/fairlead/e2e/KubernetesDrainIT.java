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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Nodes of a real control plane that are drained by Fairlead and by {@code kubectl drain}. */
@OnControlPlane
class KubernetesDrainIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static String namespace;
  private static RunningFairlead fairlead;
  private static Http http;
  private static TestCluster cluster;

  @BeforeAll
  static void aRegisteredCluster(@TempDir Path keys) {
    cluster = KubernetesCluster.shared();
    List<String> nodes = cluster.nodes("drain", 3, 4, 1);
    fairlead = RunningFairlead.start("--fairlead.key-file=" + keys.resolve("key"));
    http = fairlead.http();
    TreeMap<String, String> body = new TreeMap<>();
    body.put("name", "real-1");
    body.put("kubeconfig", cluster.kubeconfig());
    Http.Answer answer =
        http.json("/api/v1/clusters", JsonMapper.builder().build().writeValueAsString(body));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    http.json("/api/v1/projects", "{\"name\":\"drains\"}");
    namespace = http.namespace("drains");
    await().atMost(PATIENCE).until(() -> nodes.stream().allMatch(n -> state(n).equals("ACTIVE")));
  }

  @AfterAll
  static void theServiceEnds() {
    if (fairlead != null) {
      fairlead.close();
    }
  }

  private static String state(String node) {
    return http.get("/api/v1/nodes/" + node).json().path("state").asString("");
  }

  /** A running preemptible gang of two. */
  private static String runningGang(String name) {
    Http.Answer answer =
        http.yaml(
            "/api/v1/projects/drains/jobs",
            "{name: %s, image: x, workers: 2, gpu: 'H100:3', annotations: {sim.fairlead.dev/run-for: 1h}}"
                .formatted(name));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    String job = "/api/v1/jobs/" + answer.json().get("id").asString();
    await().atMost(PATIENCE).until(() -> runs(job, 1));
    return job;
  }

  private static boolean runs(String job, int attempt) {
    JsonNode now = http.get(job).json();
    return now.path("state").asString("").equals("RUNNING")
        && now.get("attempt").asInt() == attempt;
  }

  private static List<String> nodes(String job) {
    JsonNode nodes = http.get(job).json().at("/placement/nodes");
    return nodes.valueStream().map(JsonNode::asString).toList();
  }

  private static void cancel(String job) {
    http.json(job + "/cancel", "");
    await().atMost(PATIENCE).until(() -> cluster.left(namespace).isEmpty());
  }

  @Test
  void drainCompletesAndTheNodeIsUncordoned() {
    String gang = runningGang("moved");
    String node = nodes(gang).getFirst();
    Http.Answer begun = http.json("/api/v1/nodes/" + node + "/drain", "");
    assertThat(begun.status()).as(begun.body()).isEqualTo(202);
    String operation = begun.header("Location");

    await().atMost(PATIENCE).until(() -> http.get(operation).json().get("done").asBoolean());
    JsonNode done = http.get(operation).json();
    assertThat(done.get("state").asString()).isEqualTo("SUCCEEDED");
    assertThat(done.at("/metadata/percent").asInt()).isEqualTo(100);
    await().atMost(PATIENCE).until(() -> runs(gang, 2));
    assertThat(nodes(gang)).doesNotContain(node);
    JsonNode first = http.get(gang + "/attempts").json().get("items").get(0);
    assertThat(first.get("state").asString()).isEqualTo("PREEMPTED");
    assertThat(state(node)).isEqualTo("CORDONED");
    assertThat(cluster.cordoned(node)).as("no right to mark nodes").isFalse();

    assertThat(http.json("/api/v1/nodes/" + node + "/uncordon", "").status()).isEqualTo(200);
    await().atMost(PATIENCE).until(() -> state(node).equals("ACTIVE"));
    cancel(gang);
  }

  @Test
  void kubectlDrainFinishes() {
    // Fails when the disruption budget of the gang remains: its eviction is refused while it runs.
    String gang = runningGang("evicted");
    String node = nodes(gang).getFirst();
    cluster.cordon(node, true);
    try {
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(500))
          .until(() -> cluster.drained(namespace, node));
      assertThat(state(node)).isEqualTo("CORDONED");
      await().atMost(PATIENCE).until(() -> runs(gang, 2));
      assertThat(nodes(gang)).doesNotContain(node);
    } finally {
      cluster.cordon(node, false);
    }
    await().atMost(PATIENCE).until(() -> state(node).equals("ACTIVE"));
    cancel(gang);
  }
}
