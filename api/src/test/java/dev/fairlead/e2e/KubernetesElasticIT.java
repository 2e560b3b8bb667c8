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

/** A gang on a real control plane that grows and shrinks while it runs. */
@Tag("long")
@OnControlPlane
class KubernetesElasticIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static String namespace;
  private static RunningFairlead fairlead;
  private static Http http;
  private static TestCluster cluster;

  @BeforeAll
  static void twoNodesAndAQueueThatPreempts(@TempDir Path keys) {
    cluster = KubernetesCluster.shared();
    List<String> nodes = cluster.nodes("elastic", 2, 4, 1);
    fairlead =
        RunningFairlead.start(
            "--fairlead.key-file=" + keys.resolve("key"),
            "--fairlead.placement.node-labels=topology.fairlead.dev/rack");
    http = fairlead.http();
    TreeMap<String, String> body = new TreeMap<>();
    body.put("name", "real-1");
    body.put("kubeconfig", cluster.kubeconfig());
    Http.Answer answer =
        http.json("/api/v1/clusters", JsonMapper.builder().build().writeValueAsString(body));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    http.json("/api/v1/projects", "{\"name\":\"elastic\"}");
    namespace = http.namespace("elastic");
    http.yaml("/api/v1/quotas", "{name: elastic-root}");
    http.yaml(
        "/api/v1/quotas",
        "{name: elastic, parent: elastic-root, queue: {order: BEST_EFFORT_FIFO}, preemption:"
            + " {withinQueue: LOWER_PRIORITY}}");
    await()
        .atMost(PATIENCE)
        .until(() ->
            nodes.stream()
                .allMatch(n ->
                    http.get("/api/v1/nodes/" + n)
                        .json()
                        .path("state")
                        .asString("")
                        .equals("ACTIVE")));
  }

  @AfterAll
  static void theServiceEnds() {
    if (fairlead != null) {
      fairlead.close();
    }
  }

  /** On separate nodes: other tests use the same control plane. */
  private static String submit(String name, String priority, String size) {
    Http.Answer answer =
        http.yaml(
            "/api/v1/projects/elastic/jobs",
            "{name: %s, queue: elastic, priorityClass: %s, image: x, %s, placement: {nodeLabels: {topology.fairlead.dev/rack: elastic-0-r}}, annotations: {sim.fairlead.dev/run-for: 1h}}"
                .formatted(name, priority, size));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static void awaitState(String job, String state) {
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().path("state").asString("").equals(state));
  }

  /** Indexes of running members of the gang. */
  private static List<Integer> gang(String job) {
    return members(job).stream()
        .filter(m -> m.get("state").asString().equals("RUNNING") && !m.hasNonNull("standing"))
        .map(m -> m.get("index").asInt())
        .toList();
  }

  private static List<JsonNode> members(String job) {
    return http.get(job + "/members").json().get("items").valueStream().toList();
  }

  private static void awaitGang(String job, Integer... indexes) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(gang(job)).containsExactly(indexes));
  }

  @Test
  void runningGangGrowsAndShrinks() {
    String blocker = submit("blocker", "normal", "gpu: 'H100:4'");
    awaitState(blocker, "RUNNING");
    String job = submit("trained", "low", "workers: 4, minWorkers: 1, gpu: 'H100:2'");
    awaitGang(job, 0, 1);
    assertThat(cluster.wanted(namespace)).hasSize(3);

    http.json(blocker + "/cancel", "");
    awaitGang(job, 0, 1, 2, 3);
    await().atMost(PATIENCE).until(() -> cluster.wanted(namespace).size() == 4);
    await().atMost(PATIENCE).until(() -> cluster.budgets(namespace).equals(List.of(4)));

    Http.Answer patched =
        http.send("PATCH", job, "{\"workers\": 3}", "Content-Type", "application/merge-patch+json");
    assertThat(patched.status()).as(patched.body()).isEqualTo(200);
    awaitGang(job, 0, 1, 2);
    await().atMost(PATIENCE).until(() -> left(job).equals(List.of(3)));
    assertThat(cluster.wanted(namespace)).hasSize(3);

    String urgent = submit("urgent", "high", "gpu: 'H100:4'");
    awaitState(urgent, "RUNNING");
    awaitGang(job, 0, 1);
    assertThat(left(job)).containsExactlyInAnyOrder(2, 3);
    assertThat(http.get(job).json().get("attempt").asInt()).isEqualTo(1);
    assertThat(http.get(job).json().path("state").asString("")).isEqualTo("RUNNING");

    http.json(urgent + "/cancel", "");
    http.json(job + "/cancel", "");
    await().atMost(PATIENCE).until(() -> cluster.left(namespace).isEmpty());
  }

  private static List<Integer> left(String job) {
    return members(job).stream()
        .filter(m -> m.path("standing").asString("").equals("LEFT"))
        .map(m -> m.get("index").asInt())
        .toList();
  }
}
