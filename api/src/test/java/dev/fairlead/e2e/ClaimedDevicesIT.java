package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Jobs with GPUs by ResourceClaims on a real control plane with the slices of a driver. */
@OnControlPlane
class ClaimedDevicesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final String CLUSTER = "claims-1";
  private static final String BLOCK = "topology.fairlead.dev/block";
  private static final String MANIFEST = "deploy/cluster-dra.yaml";
  private static RunningFairlead fairlead;
  private static Http http;
  private static TestCluster cluster;

  @BeforeAll
  static void aClusterWithADriver(@TempDir Path keys) {
    cluster = KubernetesCluster.shared();
    assumeTrue(cluster.owns(), "only where a scheduler can be started");
    cluster.start("kube-scheduler");
    cluster.applies(MANIFEST);
    cluster.apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: whole.example.com}
        spec:
          selectors:
          - cel: {expression: "device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].type == 'gpu'"}
        ---
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: sliced.example.com}
        spec:
          selectors:
          - cel: {expression: "device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].type == 'mig'"}
        """);
    List<String> nodes = cluster.nodes("claims", 3, 0, 1);
    cluster.nodes("plain", 1, 8, 1);
    publish(nodes.get(0), gpu(0), gpu(1), gpu(2));
    publish(nodes.get(1), gpu(3), gpu(4), gpu(5));
    publish(nodes.get(2), slices(6), slices(7));
    fairlead =
        RunningFairlead.start(
            "--fairlead.key-file=" + keys.resolve("key"),
            "--fairlead.workload.keep-failed=0s",
            "--fairlead.placement.node-labels=" + BLOCK);
    http = fairlead.http();
    TreeMap<String, Object> body = new TreeMap<>();
    body.put("name", CLUSTER);
    body.put("kubeconfig", cluster.kubeconfig());
    body.put(
        "devices",
        new TreeMap<>(
            Map.of(
                "kind",
                "DRA",
                "deviceClass",
                "whole.example.com",
                "driver",
                "gpu.example.com",
                "migDeviceClass",
                "sliced.example.com",
                "nodes",
                Map.of(BLOCK, "claims-0-b"))));
    Http.Answer answer =
        http.json("/api/v1/clusters", JsonMapper.builder().build().writeValueAsString(body));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    http.json("/api/v1/projects", "{\"name\":\"claims\"}");
    await()
        .atMost(PATIENCE)
        .until(() -> http.get("/api/v1/clusters/" + CLUSTER).json().path("gpus").asInt() == 16);
  }

  private static void publish(String node, String... devices) {
    cluster.apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceSlice
        metadata: {name: %1$s}
        spec:
          driver: gpu.example.com
          nodeName: %1$s
          pool: {name: %1$s, generation: 1, resourceSliceCount: 1}
          devices: [%2$s]
        """
            .formatted(node, String.join(", ", devices)));
  }

  @AfterAll
  static void theServiceEnds() {
    if (fairlead != null) {
      fairlead.close();
      String _ = cluster.kubectl("delete", "resourceslices,deviceclasses", "--all");
      cluster.withdraws(MANIFEST);
    }
  }

  private static String uuid(int gpu) {
    return "GPU-00000000-0000-0000-0001-00000000000" + gpu;
  }

  private static String gpu(int number) {
    return "{name: gpu-%d, attributes: {type: {string: gpu}, uuid: {string: %s}, productName: {string: NVIDIA H100 80GB HBM3}}}"
        .formatted(number, uuid(number));
  }

  private static String slices(int gpu) {
    return IntStream.range(0, 7)
        .mapToObj(number ->
            "{name: gpu-%d-mig-%d, attributes: {type: {string: mig}, parentUUID: {string: %s}, profile: {string: 1g.10gb}, productName: {string: NVIDIA H100 80GB HBM3}}}"
                .formatted(gpu, number, uuid(gpu)))
        .collect(Collectors.joining(", "));
  }

  private static String running(String name) {
    return running(name, "1");
  }

  private static String running(String name, String gpu) {
    String job = running(name, gpu, "claims-0-b");
    await().atMost(PATIENCE).until(() -> !member(job).at("/devices/0").isMissingNode());
    return job;
  }

  private static String running(String name, String gpu, String block) {
    Http.Answer answer =
        http.yaml(
            "/api/v1/projects/claims/jobs",
            ("{name: %s, image: x, gpu: %s, annotations: {sim.fairlead.dev/run-for: 1h},"
                    + " placement: {nodeLabels: {%s: %s}}}")
                .formatted(name, gpu, BLOCK, block));
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

  /** Fails when a sick GPU costs its node, or a job on another GPU or with a deleted claim. */
  @Test
  void faultOfAClaimedGpuQuarantinesOnlyThatGpu() {
    String held = running("held");
    String other = running("other");
    String node = member(held).get("node").asString();
    assertThat(member(other).get("node").asString()).as("one node").isEqualTo(node);
    String sick = member(held).at("/devices/0/gpu").asString();
    assertThat(member(held).get("gpuIdentity").asString()).isEqualTo("ENFORCED");
    assertThat(member(held).at("/devices/0/sources/0").asString()).isEqualTo("RESOURCE_CLAIM");
    assertThat(member(held).at("/gpus/0/serial").asString()).isEqualTo(sick);
    String namespace = http.namespace("claims");
    String claim = "resourceclaim/" + member(other).get("pod").asString();
    String _ = cluster.kubectl("delete", "-n", namespace, claim, "--wait=false");

    Http.Answer taken =
        http.yaml(
            "/api/v1/clusters/" + CLUSTER + "/health-events",
            "{events: [{id: one, at: '%s', node: %s, gpu: %s, xid: 48}]}"
                .formatted(Instant.now(), node, sick));
    assertThat(taken.status()).as(taken.body()).isEqualTo(200);

    await()
        .atMost(PATIENCE)
        .until(() ->
            http.get(held).json().path("attempt").asInt() == 2
                && http.get(held).json().path("state").asString("").equals("RUNNING")
                && !member(held).at("/devices/0").isMissingNode());
    assertThat(http.get("/api/v1/nodes/" + node).json().get("state").asString())
        .isEqualTo("ACTIVE");
    assertThat(member(held).get("node").asString()).as("its last GPU").isEqualTo(node);
    assertThat(gpus(held)).doesNotContain(sick).doesNotContainAnyElementsOf(gpus(other));
    assertThat(http.get(other).json().get("attempt").asInt()).isEqualTo(1);
    assertThat(gpus(other)).as("of the claim that was deleted under its pod").hasSize(1);
    release(node);
    for (String job : List.of(held, other)) {
      http.json(job + "/cancel", "");
    }
    await().atMost(PATIENCE).until(() -> cluster.left(namespace).isEmpty());
    assertThat(cluster.kubectl("get", "resourceclaims", "-n", namespace, "-o", "name")).isEmpty();
    assertThat(Billed.devices(http)).extracting(Billed::gpu).contains(sick);
  }

  /** Fails when a job on a node of a device plugin gets a claim, or waits for one. */
  @Tag("long")
  @Test
  void jobOnANodeWithoutTheLabelsGetsTheGpuOfItsDevicePlugin() {
    String job = running("plain", "1", "plain-0-b");
    String namespace = http.namespace("claims");
    String pod = member(job).get("pod").asString();
    assertThat(member(job).get("node").asString()).startsWith("plain-");
    assertThat(cluster.kubectl("get", "resourceclaims", "-n", namespace, "-o", "name"))
        .doesNotContain(pod);
    assertThat(cluster.kubectl("get", "pod", pod, "-n", namespace, "-o", "yaml"))
        .contains("nvidia.com/gpu: \"1\"");

    cluster.allocate(namespace, pod, uuid(9));

    await()
        .atMost(PATIENCE)
        .until(() -> member(job).get("gpuIdentity").asString().equals("OBSERVED"));
    assertThat(gpus(job)).containsExactly(uuid(9));
    await("identity of a cluster with both forms")
        .atMost(PATIENCE)
        .until(() ->
            http.get("/api/v1/clusters/" + CLUSTER)
                .json()
                .at("/capabilities/gpuIdentity")
                .asString("")
                .equals("OBSERVED"));
    http.json(job + "/cancel", "");
    await().atMost(PATIENCE).until(() -> cluster.left(namespace).isEmpty());
  }

  /** Another quarantined node would open the circuit breaker of this small cluster. */
  private static void release(String node) {
    Http.Answer answer =
        http.json("/api/v1/nodes/" + node + "/release", "{\"reason\": \"swapped\"}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private static List<String> gpus(String job) {
    return member(job)
        .get("devices")
        .valueStream()
        .map(held -> held.get("gpu").asString())
        .toList();
  }

  private static boolean restarted(String job) {
    return http.get(job).json().path("attempt").asInt() == 2
        && http.get(job).json().path("state").asString("").equals("RUNNING")
        && !member(job).at("/devices/0").isMissingNode();
  }

  /** Fails when a faulty GPU with slices costs its node, or a job on slices of another GPU. */
  @Tag("long")
  @Test
  void aFaultOfAPartitionedGpuCostsTheSlicesOfThisGpu() {
    String four = "{mig: {profile: 1g.10gb, count: 4}}";
    String first = running("first", four);
    String second = running("second", four);
    String other = running("slice", "{mig: 1g.10gb}");
    String node = member(first).get("node").asString();
    String sick = gpus(first).getFirst();
    String healthy = gpus(other).getFirst();
    assertThat(gpus(first)).containsExactly(sick);
    assertThat(gpus(second)).as("of two GPUs").containsExactlyInAnyOrder(sick, healthy);
    assertThat(List.of(first, second, other))
        .allMatch(job -> member(job).get("gpuIdentity").asString().equals("ENFORCED"));

    Http.Answer taken =
        http.yaml(
            "/api/v1/clusters/" + CLUSTER + "/health-events",
            "{events: [{id: slices, at: '%s', node: %s, gpu: %s, xid: 48}]}"
                .formatted(Instant.now(), node, sick));
    assertThat(taken.status()).as(taken.body()).isEqualTo(200);

    await().atMost(PATIENCE).until(() -> restarted(first) || restarted(second));
    String moved = restarted(first) ? first : second;
    String waits = moved.equals(first) ? second : first;
    assertThat(gpus(moved)).containsExactly(healthy);
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(waits).json().path("state").asString("").equals("QUEUED"));
    assertThat(http.get(other).json().get("attempt").asInt()).isEqualTo(1);
    assertThat(http.get("/api/v1/nodes/" + node).json().get("state").asString())
        .isEqualTo("ACTIVE");
    release(node);
    await().atMost(PATIENCE).until(() -> restarted(waits));
    assertThat(gpus(waits)).contains(sick);
    for (String job : List.of(first, second, other)) {
      http.json(job + "/cancel", "");
    }
    String namespace = http.namespace("claims");
    await().atMost(PATIENCE).until(() -> cluster.left(namespace).isEmpty());
  }
}
