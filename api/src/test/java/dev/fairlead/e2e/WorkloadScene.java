package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A front cluster that knows Workloads, a cluster with a node that runs them, and Fairlead. */
final class WorkloadScene implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String DEFINITION = "crd/workloads.fairlead.dev";
  private static final String MODEL = "NVIDIA-B200";
  private final EmbeddedDatabase database = MigratedDatabase.start();
  private final String key = "--fairlead.key-file=" + RunningFairlead.keyFile();
  private final String namespace;
  private final TestCluster front;
  private final TestCluster pool;
  private @Nullable RunningFairlead fairlead;

  /**
   * @param namespace on the front, mapped to the project vision
   */
  WorkloadScene(String namespace) {
    this.namespace = namespace;
    List<TestCluster> clusters = KubernetesCluster.several(2);
    front = clusters.get(0);
    pool = clusters.get(1);
    String node = pool.nodes("workloads", 1, 4, 1).getFirst();
    // The control planes have nodes of other suites. Only nodes of the pool have this model.
    pool.patch(
        node, "{\"metadata\":{\"labels\":{\"nvidia.com/gpu.product\":\"%s\"}}}".formatted(MODEL));
    front.applies("deploy/crds/workload.yaml");
    front.kubectl("wait", "--for=condition=Established", "crd/workloads.fairlead.dev");
    front.applies("deploy/cluster-front.yaml");
    front.kubectl("create", "namespace", namespace);
    start();
    register("front", front);
    register("pool", pool);
    await()
        .atMost(PATIENCE)
        .until(() ->
            http().get("/api/v1/nodes/" + node).json().path("state").asString("").equals("ACTIVE"));
    http().json("/api/v1/projects", "{\"name\":\"vision\"}");
    Http.Answer mapped =
        http()
            .send(
                "PUT",
                "/api/v1/clusters/front/front-namespaces/" + namespace,
                "{project: vision}",
                "Content-Type",
                Http.YAML);
    assertThat(mapped.status()).as(mapped.body()).isEqualTo(200);
  }

  private void register(String name, TestCluster cluster) {
    TreeMap<String, String> body = new TreeMap<>();
    body.put("name", name);
    body.put("kubeconfig", cluster.kubeconfig());
    Http.Answer answer = http().json("/api/v1/clusters", JSON.writeValueAsString(body));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
  }

  void start() {
    fairlead = RunningFairlead.startBehind(database, database.url(), key);
  }

  /** The process ends. Changes on the front in this time are not reported. */
  void stop() {
    RunningFairlead running = fairlead;
    fairlead = null;
    if (running != null) {
      running.end();
    }
  }

  /** The definition serves Workloads as v1beta1 only. */
  void servesAnotherVersion() {
    JsonNode version =
        JSON.readTree(front.kubectl("get", DEFINITION, "-o", "json")).at("/spec/versions/0");
    changes(
        "[{\"op\": \"add\", \"path\": \"/spec/versions/-\", \"value\": %s}, %s, %s]"
            .formatted(
                version.toString().replace("\"name\":\"v1alpha1\"", "\"name\":\"v1beta1\""),
                replaced("/spec/versions/0/served", "false"),
                replaced("/spec/versions/0/storage", "false")));
    await().atMost(PATIENCE).until(() -> !served());
  }

  /** Restores the definition of the release. */
  void servesItsVersion() {
    changes(
        "[%s, %s, %s]"
            .formatted(
                replaced("/spec/versions/0/served", "true"),
                replaced("/spec/versions/0/storage", "true"),
                replaced("/spec/versions/1/storage", "false")));
    changes(
        "[%s]".formatted(replaced("/status/storedVersions", "[\"v1alpha1\"]")),
        "--subresource=status");
    changes("[{\"op\": \"remove\", \"path\": \"/spec/versions/1\"}]");
    await().atMost(PATIENCE).until(this::served);
  }

  private static String replaced(String path, String value) {
    return "{\"op\": \"replace\", \"path\": \"%s\", \"value\": %s}".formatted(path, value);
  }

  private void changes(String patch, String... more) {
    List<String> words = new ArrayList<>(List.of("patch", DEFINITION, "--type=json", "-p", patch));
    words.addAll(List.of(more));
    front.kubectl(words.toArray(String[]::new));
  }

  /** Returns whether the API server has Workloads of v1alpha1. */
  private boolean served() {
    try {
      return front.kubectl("get", "--raw", "/apis/fairlead.dev/v1alpha1").contains("workloads");
    } catch (IllegalStateException none) {
      return false;
    }
  }

  @Override
  public void close() {
    stop();
    database.close();
  }

  Http http() {
    RunningFairlead running = fairlead;
    assertThat(running).isNotNull();
    return running.http();
  }

  TestCluster front() {
    return front;
  }

  /** A Workload whose only member ends after that time with that outcome. */
  String workload(String name, String runFor, String outcome) {
    return """
    apiVersion: fairlead.dev/v1alpha1
    kind: Workload
    metadata: {namespace: %s, name: %s}
    spec:
      image: registry.example.com/train:1
      run: python train.py
      cpu: 500m
      memory: 1Gi
      gpu: {model: B200, count: 1}
      annotations: {sim.fairlead.dev/run-for: %s, sim.fairlead.dev/outcome: %s}
    """
        .formatted(namespace, name, runFor, outcome);
  }

  /** {@code kubectl} in the namespace on the front. */
  String kubectl(String... arguments) {
    String[] all = new String[arguments.length + 2];
    all[0] = "-n";
    all[1] = namespace;
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return front.kubectl(all);
  }

  JsonNode read(String name) {
    return JSON.readTree(kubectl("get", "workloads.fairlead.dev", name, "-o", "json"));
  }

  String phase(String name) {
    return read(name).at("/status/phase").asString("");
  }

  JsonNode awaitPhase(String name, String phase) {
    await(name + " is " + phase).atMost(PATIENCE).until(() -> phase(name).equals(phase));
    return read(name);
  }

  /** Status, reason and message of the condition. */
  static String condition(JsonNode workload, String type) {
    return workload
        .at("/status/conditions")
        .valueStream()
        .filter(one -> one.path("type").asString("").equals(type))
        .map(one ->
            "%s %s: %s"
                .formatted(
                    one.path("status").asString(""),
                    one.path("reason").asString(""),
                    one.path("message").asString("")))
        .findFirst()
        .orElse("");
  }

  List<JsonNode> jobs(String begin) {
    return http()
        .get("/api/v1/projects/vision/jobs")
        .json()
        .get("items")
        .valueStream()
        .filter(job -> job.get("name").asString().startsWith(begin))
        .toList();
  }

  List<String> states(String begin) {
    return jobs(begin).stream().map(job -> job.get("state").asString()).toList();
  }

  /** The output of {@code kubectl} for a command that the front refuses. */
  String refused(String... arguments) {
    try {
      throw new AssertionError("it was not refused: " + kubectl(arguments));
    } catch (IllegalStateException refusal) {
      return String.valueOf(refusal.getMessage());
    }
  }
}
