package dev.fairlead.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Devices of members on a real control plane, whose pods show the ids of a device plugin. */
@Tag("long")
@OnControlPlane
class KubernetesDevicesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final String CLUSTER = "devices-1";
  private static String namespace;
  private static RunningFairlead fairlead;
  private static Http http;
  private static TestCluster cluster;

  @BeforeAll
  static void aRegisteredCluster(@TempDir Path keys) {
    cluster = KubernetesCluster.shared();
    List<String> nodes = cluster.nodes("devices", 8, 8, 1);
    fairlead =
        RunningFairlead.start(
            "--fairlead.key-file=" + keys.resolve("key"),
            "--fairlead.workload.keep-failed=0s",
            "--fairlead.placement.node-labels=topology.fairlead.dev/block");
    http = fairlead.http();
    TreeMap<String, String> body = new TreeMap<>();
    body.put("name", CLUSTER);
    body.put("kubeconfig", cluster.kubeconfig());
    Http.Answer answer =
        http.json("/api/v1/clusters", JsonMapper.builder().build().writeValueAsString(body));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    http.json("/api/v1/projects", "{\"name\":\"devices\"}");
    namespace = http.namespace("devices");
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

  private static String running(String name) {
    Http.Answer answer =
        http.yaml(
            "/api/v1/projects/devices/jobs",
            ("{name: %s, image: x, gpu: 1, annotations: {sim.fairlead.dev/run-for: 1h},"
                    + " placement: {nodeLabels: {topology.fairlead.dev/block: devices-0-b}}}")
                .formatted(name));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    String job = "/api/v1/jobs/" + answer.json().get("id").asString();
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().path("state").asString("").equals("RUNNING"));
    return job;
  }

  private static JsonNode member(String job) {
    return http.get(job + "/members").json().at("/items/0");
  }

  private static JsonNode attempt(String job, int number) {
    for (JsonNode attempt : http.get(job + "/attempts").json().get("items")) {
      if (attempt.get("number").asInt() == number) {
        return attempt;
      }
    }
    return http.get(job).json().path("noSuchAttempt");
  }

  /** The kubelet shows the device of the pod. */
  private static String onDevice(String job) {
    String gpu = "GPU-" + UUID.nameUUIDFromBytes(job.getBytes(UTF_8));
    cluster.allocate(namespace, member(job).get("pod").asString(), gpu);
    await().atMost(PATIENCE).until(() -> member(job).at("/devices/0/gpu").asString("").equals(gpu));
    return gpu;
  }

  @Test
  void faultOfOneGpuMovesOnlyTheJobOnThatGpu() {
    String held = running("held");
    String other = running("other");
    String node = member(held).get("node").asString();
    assertThat(member(other).get("node").asString()).as("one node").isEqualTo(node);
    assertThat(member(held).get("gpuIdentity").asString()).isEqualTo("UNKNOWN");
    assertThat(member(held).at("/gpus/0/serial").asString()).startsWith(node + "/");
    String sick = onDevice(held);
    String well = onDevice(other);
    assertThat(member(held).get("gpuIdentity").asString()).isEqualTo("OBSERVED");
    assertThat(sick).isNotEqualTo(well);
    await()
        .atMost(PATIENCE)
        .until(() ->
            http.get("/api/v1/clusters/" + CLUSTER)
                .json()
                .at("/capabilities/gpuIdentity")
                .asString("")
                .equals("OBSERVED"));

    Http.Answer taken =
        http.yaml(
            "/api/v1/clusters/" + CLUSTER + "/health-events",
            "{events: [{id: one, at: '%s', node: %s, gpu: %s, serial: '1653922', xid: 48}]}"
                .formatted(Instant.now(), node, sick));
    assertThat(taken.status()).as(taken.body()).isEqualTo(200);

    await()
        .atMost(PATIENCE)
        .until(() -> attempt(held, 2).path("state").asString("").equals("RUNNING"));
    JsonNode first = attempt(held, 1);
    assertThat(first.get("cause").asString()).isEqualTo("GPU_FAULT");
    assertThat(first.get("message").asString())
        .startsWith("XID 48 (double-bit ECC) on GPU 1653922, node " + node)
        .contains("worker-0", "pod status");
    assertThat(first.at("/members/0/devices/0/gpu").asString()).isEqualTo(sick);
    assertThat(first.at("/members/0/devices/0/serial").asString()).isEqualTo("1653922");
    assertThat(member(held).get("node").asString()).isNotEqualTo(node);
    assertThat(state(node)).isEqualTo("QUARANTINED");
    assertThat(http.get(other).json().get("state").asString()).isEqualTo("RUNNING");
    assertThat(http.get(other).json().get("attempt").asInt()).isEqualTo(1);
    for (String job : List.of(held, other)) {
      http.json(job + "/cancel", "");
    }
    await().atMost(PATIENCE).until(() -> cluster.left(namespace).isEmpty());
    assertThat(Billed.devices(http))
        .contains(new Billed(sick, "1653922", node), new Billed(well, null, node));
  }
}
