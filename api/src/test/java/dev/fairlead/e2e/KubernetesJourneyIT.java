package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The main job on a real Kubernetes control plane, from REST to pods and back. */
@OnControlPlane
class KubernetesJourneyIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static String namespace;
  private static RunningFairlead fairlead;
  private static Http http;
  private static TestCluster cluster;

  @BeforeAll
  static void aRegisteredClusterOfFourNodes(@TempDir Path keys) {
    cluster = KubernetesCluster.shared();
    cluster.nodes("journey", 4, 8, 2);
    fairlead =
        RunningFairlead.start(
            "--fairlead.key-file=" + keys.resolve("key"),
            "--fairlead.workload.keep-failed=0s",
            "--fairlead.workload.keep-succeeded=0s");
    http = fairlead.http();
    namespace = http.namespace("default");
    String body =
        JsonMapper.builder()
            .build()
            .writeValueAsString(
                new TreeMap<>(Map.of("name", "real-1", "kubeconfig", cluster.kubeconfig())));
    Http.Answer answer = http.json("/api/v1/clusters", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    await()
        .atMost(PATIENCE)
        .until(() ->
            http.get("/api/v1/clusters/real-1").json().path("state").asString("").equals("ACTIVE"));
  }

  @AfterAll
  static void theServiceEnds() {
    if (fairlead != null) {
      fairlead.close();
    }
  }

  private static String submit(String spec) {
    Http.Answer answer = http.yaml("/api/v1/projects/default/jobs", spec);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static JsonNode reach(String job, String state) {
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().path("state").asString("").equals(state));
    return http.get(job).json();
  }

  /** Node by pod, as Fairlead has stored it. */
  private static SortedMap<String, String> planned(String job) {
    SortedMap<String, String> planned = new TreeMap<>();
    http.get(job + "/attempts")
        .json()
        .get("items")
        .forEach(attempt ->
            attempt
                .get("members")
                .forEach(m -> planned.put(m.get("pod").asString(), m.get("node").asString())));
    return planned;
  }

  @Test
  void gangRunsOnItsPlannedNodesAndLeavesNoObject() {
    String gang =
        submit(
            """
            name: gang
            image: registry.example.com/train:1
            workers: 4
            gpu: H100:8
            cpu: 8
            memory: 32Gi
            launcher: torchrun
            run: train.py
            annotations: {sim.fairlead.dev/run-for: 12s}
            """);
    reach(gang, "RUNNING");
    SortedMap<String, String> planned = planned(gang);
    assertThat(planned).hasSize(4);
    assertThat(planned.values()).doesNotHaveDuplicates();
    assertThat(cluster.podNodes(namespace)).containsAllEntriesOf(planned);
    JsonNode done = reach(gang, "SUCCEEDED");
    assertThat(done.at("/attempt").asInt()).isEqualTo(1);
    await().atMost(PATIENCE).until(() -> cluster.left(namespace).isEmpty());
  }

  @Test
  void singleJobsRunConcurrentlyAndAFailureKeepsItsExitCode() {
    List<String> jobs = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      jobs.add(submit("{image: x, gpu: 1, annotations: {sim.fairlead.dev/run-for: 1s}}"));
    }
    String failing =
        submit(
            "{image: x, gpu: 1, annotations: {sim.fairlead.dev/run-for: 1s,"
                + " sim.fairlead.dev/outcome: fail, sim.fairlead.dev/exit-code: '3'}}");
    jobs.forEach(job -> reach(job, "SUCCEEDED"));
    assertThat(reach(failing, "FAILED").at("/failure/exitCode").asInt()).isEqualTo(3);
    await().atMost(PATIENCE).until(() -> cluster.left(namespace).isEmpty());
  }

  /** Fails when the permitted destinations of a project are not applied where it has jobs. */
  @Tag("long")
  @Test
  void projectEgressAppliesToItsNamespace() {
    String job = submit("{image: x, gpu: 1, annotations: {sim.fairlead.dev/run-for: 1h}}");
    reach(job, "RUNNING");
    assertThat(egress()).contains("0.0.0.0/0");
    String project = "/api/v1/projects/default";
    String strict = "{\"egress\":{\"mode\":\"STRICT\",\"cidrs\":[\"10.20.0.0/16\"]}}";
    Http.Answer answer = http.send("PATCH", project, strict, "Content-Type", "application/json");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    await().atMost(PATIENCE).until(() -> egress().contains("10.20.0.0/16"));
    assertThat(egress()).doesNotContain("0.0.0.0/0");

    http.send("PATCH", project, "{egress: {mode: OPEN}}", "Content-Type", Http.YAML);
    await().atMost(PATIENCE).until(() -> egress().contains("0.0.0.0/0"));
    http.send("POST", job + "/cancel", null);
    reach(job, "CANCELLED");
  }

  private static String egress() {
    return String.valueOf(
        cluster
            .admin()
            .network()
            .v1()
            .networkPolicies()
            .inNamespace(namespace)
            .withName("fairlead-egress")
            .get()
            .getSpec());
  }

  /** Fails when an open connection retains its former settings. */
  @Test
  void clusterSettingsAndCredentialsChangeWhileItsJobsRun() {
    String job = submit("{image: x, gpu: 1, annotations: {sim.fairlead.dev/run-for: 1h}}");
    reach(job, "RUNNING");
    assertThat(topology()).contains("\"rack\"").doesNotContain("\"hostname\"");
    String elsewhere = cluster.kubeconfig().replaceFirst("127\\.0\\.0\\.1:\\d+", "127.0.0.1:1");
    assertThat(patch(Map.of("kubeconfig", elsewhere)).code()).isEqualTo("ILLEGAL_STATE");
    Http.Answer patched =
        patch(
            Map.of(
                "kubeconfig",
                cluster.kubeconfig(),
                "topologyLabels",
                List.of("kubernetes.io/hostname")));
    assertThat(patched.status()).as(patched.body()).isEqualTo(200);
    await().atMost(PATIENCE).until(() -> !topology().contains("\"rack\""));
    assertThat(http.get(job).json().get("attempt").asInt()).isEqualTo(1);
    assertThat(http.json(job + "/cancel", "").status()).isEqualTo(200);
    reach(job, "CANCELLED");
    assertThat(patch(Map.of("topologyLabels", List.of())).status()).isEqualTo(200);
    await().atMost(PATIENCE).until(() -> topology().contains("\"rack\""));
    await().atMost(PATIENCE).until(() -> cluster.left(namespace).isEmpty());
  }

  private static String topology() {
    return http.get("/api/v1/nodes?cluster=real-1").json().at("/items/0/topology").toString();
  }

  /** Its supervisor may write to it between reading and patching. */
  private static Http.Answer patch(Map<String, Object> change) {
    String body = JsonMapper.builder().build().writeValueAsString(new TreeMap<>(change));
    AtomicReference<Http.Answer> answer = new AtomicReference<>();
    await()
        .atMost(PATIENCE)
        .until(() -> {
          String tag = http.get("/api/v1/clusters/real-1").header("ETag");
          answer.set(
              http.send(
                  "PATCH",
                  "/api/v1/clusters/real-1",
                  body,
                  "Content-Type",
                  "application/json",
                  "If-Match",
                  tag));
          return answer.get().status() != 412;
        });
    return answer.get();
  }

  @Test
  void cancelledJobIsRemovedFromTheCluster() {
    String job = submit("{image: x, gpu: 1, annotations: {sim.fairlead.dev/run-for: 1h}}");
    reach(job, "RUNNING");
    assertThat(http.json(job + "/cancel", "").status()).isEqualTo(200);
    reach(job, "CANCELLED");
    await().atMost(PATIENCE).until(() -> cluster.left(namespace).isEmpty());
  }
}
