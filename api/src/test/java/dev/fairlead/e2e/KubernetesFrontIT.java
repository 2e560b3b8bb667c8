package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Jobs that {@code kubectl} applies to one real control plane, which has no nodes, and that run on
 * another.
 */
@OnControlPlane
class KubernetesFrontIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String MODEL = "NVIDIA-H200";
  private static TestCluster front;
  private static TestCluster pool;
  private static RunningFairlead fairlead;
  private static Http http;

  @BeforeAll
  static void aFrontWithoutNodesAndAClusterWithOne(@TempDir Path keys) {
    List<TestCluster> clusters = KubernetesCluster.several(2);
    front = clusters.get(0);
    pool = clusters.get(1);
    List<String> nodes = pool.nodes("fronted", 1, 4, 1);
    // The control planes have nodes of other suites. Only nodes of the pool have this model.
    pool.patch(
        nodes.getFirst(),
        "{\"metadata\":{\"labels\":{\"nvidia.com/gpu.product\":\"%s\"}}}".formatted(MODEL));
    front.applies("deploy/cluster-front.yaml");
    front.kubectl("create", "namespace", "team-a");
    front.kubectl("create", "namespace", "team-b");
    fairlead = RunningFairlead.start("--fairlead.key-file=" + keys.resolve("key"));
    http = fairlead.http();
    register("front", front);
    register("pool", pool);
    await()
        .atMost(PATIENCE)
        .until(() ->
            http.get("/api/v1/nodes/" + nodes.getFirst())
                .json()
                .path("state")
                .asString("")
                .equals("ACTIVE"));
    http.json("/api/v1/projects", "{\"name\":\"vision\"}");
    Http.Answer mapped =
        http.send(
            "PUT",
            "/api/v1/clusters/front/front-namespaces/team-a",
            "{project: vision}",
            "Content-Type",
            Http.YAML);
    assertThat(mapped.status()).as(mapped.body()).isEqualTo(200);
  }

  private static void register(String name, TestCluster cluster) {
    TreeMap<String, String> body = new TreeMap<>();
    body.put("name", name);
    body.put("kubeconfig", cluster.kubeconfig());
    Http.Answer answer = http.json("/api/v1/clusters", JSON.writeValueAsString(body));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
  }

  @AfterAll
  static void theServiceEnds() {
    if (fairlead != null) {
      fairlead.close();
    }
  }

  private static String job(String namespace, String name, String spec, String pod) {
    return """
    apiVersion: batch/v1
    kind: Job
    metadata: {namespace: %s, name: %s}
    spec:
      managedBy: fairlead.dev/job
      %s
      template:
        metadata:
          annotations: {sim.fairlead.dev/run-for: 1s}
        spec:
          restartPolicy: Never
          nodeSelector: {nvidia.com/gpu.product: %s}
          %s
          containers:
          - name: train
            image: registry.example.com/train:1
            args: [--epochs, "$(EPOCHS)"]
            env: [{name: EPOCHS, value: "3"}]
            resources: {limits: {nvidia.com/gpu: 1, memory: 1Gi}, requests: {cpu: 500m}}
    """
        .formatted(namespace, name, spec, MODEL, pod);
  }

  private static JsonNode read(String namespace, String name) {
    return JSON.readTree(front.kubectl("-n", namespace, "get", "job", name, "-o", "json"));
  }

  private static String condition(JsonNode job, String type) {
    return job.at("/status/conditions")
        .valueStream()
        .filter(one -> one.path("type").asString("").equals(type))
        .filter(one -> one.path("status").asString("").equals("True"))
        .map(one -> one.path("reason").asString(""))
        .findFirst()
        .orElse("");
  }

  private static JsonNode awaitCondition(String namespace, String name, String type) {
    await().atMost(PATIENCE).until(() -> !condition(read(namespace, name), type).isEmpty());
    return read(namespace, name);
  }

  private static List<JsonNode> jobsNamed(String begin) {
    return http.get("/api/v1/projects/vision/jobs")
        .json()
        .get("items")
        .valueStream()
        .filter(job -> job.get("name").asString().startsWith(begin))
        .toList();
  }

  private static String state(String begin) {
    return jobsNamed(begin).stream().map(job -> job.get("state").asString()).findFirst().orElse("");
  }

  private static String clusterOf(JsonNode job) {
    return http.get("/api/v1/jobs/" + job.get("id").asString() + "/attempts")
        .json()
        .at("/items/0/cluster")
        .asString("");
  }

  /** Applied on the front, run on the other cluster, complete on the front. */
  @Test
  void jobAppliedByKubectlRunsOnTheOtherClusterAndCompletesHere() {
    front.apply(job("team-a", "train", "backoffLimit: 2", ""));

    JsonNode done = awaitCondition("team-a", "train", "Complete");

    assertThat(condition(done, "SuccessCriteriaMet")).isEqualTo("CompletionsReached");
    assertThat(done.at("/status/succeeded").asInt()).isEqualTo(1);
    assertThat(done.at("/status/completionTime").asString("")).isNotEmpty();
    List<JsonNode> jobs = jobsNamed("train-");
    assertThat(jobs).hasSize(1);
    assertThat(clusterOf(jobs.getFirst())).isEqualTo("pool");
    assertThat(front.kubectl("-n", "team-a", "get", "pods", "-o", "name")).isEmpty();
    assertThat(front.kubectl("-n", "team-a", "get", "jobs")).contains("train", "Complete", "1/1");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(read("team-a", "train").at("/metadata/finalizers").size()).isZero());
    front.kubectl("-n", "team-a", "delete", "job", "train", "--timeout=30s");
  }

  /** Fails when a namespace that no operator mapped runs at the cost of any project. */
  @Test
  void jobInAnUnmappedNamespaceReportsIt() {
    front.apply(job("team-b", "stranger", "", ""));

    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(read("team-b", "stranger").at("/status/conditions").toString())
                .contains("NamespaceNotMapped", "fairlead cluster front add"));
    assertThat(jobsNamed("stranger-")).isEmpty();
    front.kubectl("-n", "team-b", "delete", "job", "stranger", "--timeout=30s");
  }

  /** Fails when a field that no job has is dropped. */
  @Tag("long")
  @Test
  void fieldsWithoutAnEquivalentAreRejectedByName() {
    front.apply(job("team-a", "host", "", "hostNetwork: true"));

    JsonNode failed = awaitCondition("team-a", "host", "Failed");

    assertThat(condition(failed, "FailureTarget")).isEqualTo("NotExpressible");
    assertThat(failed.at("/status/conditions").toString())
        .contains("spec.template.spec.hostNetwork");
    assertThat(jobsNamed("host-")).isEmpty();
  }

  /** Fails when a deleted Job leaves its pods running on another cluster. */
  @Tag("long")
  @Test
  void deletedJobEndsItsPodsOnTheOtherCluster() {
    front.apply(
        job("team-a", "long", "", "")
            .replace("sim.fairlead.dev/run-for: 1s", "sim.fairlead.dev/run-for: 1h"));
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(read("team-a", "long").at("/status/ready").asInt()).isEqualTo(1));
    assertThat(state("long-")).isEqualTo("RUNNING");

    front.kubectl("-n", "team-a", "delete", "job", "long", "--timeout=60s");

    await().atMost(PATIENCE).untilAsserted(() -> assertThat(state("long-")).isEqualTo("CANCELLED"));
    assertThat(pool.wanted(http.namespace("vision")))
        .noneMatch(pod -> pod.contains(jobsNamed("long-").getFirst().get("name").asString()));
  }

  @Tag("long")
  @Test
  void suspendedJobWaitsAndResumes() {
    front.apply(job("team-a", "paused", "suspend: true", ""));
    awaitCondition("team-a", "paused", "Suspended");
    assertThat(jobsNamed("paused-")).isEmpty();

    front.kubectl("-n", "team-a", "patch", "job", "paused", "-p", "{\"spec\":{\"suspend\":false}}");

    awaitCondition("team-a", "paused", "Complete");
  }

  @Tag("long")
  @Test
  void completionsRunAsAnArray() {
    front.apply(
        job("team-a", "sweep", "completionMode: Indexed\n  completions: 3\n  parallelism: 2", ""));

    JsonNode done = awaitCondition("team-a", "sweep", "Complete");

    assertThat(done.at("/status/succeeded").asInt()).isEqualTo(3);
    assertThat(done.at("/status/completedIndexes").asString("")).isEqualTo("0-2");
  }

  private static void controller(String condition, String status) {
    String _ =
        pool.kubectl(
            "-n",
            "team-c",
            "patch",
            "jobset",
            "gang",
            "--subresource=status",
            "--type=merge",
            "-p",
            "{\"status\":{\"conditions\":[{\"type\":\"%s\",\"status\":\"%s\"}]}}"
                .formatted(condition, status));
  }

  private static JsonNode jobSet() {
    return JSON.readTree(pool.kubectl("-n", "team-c", "get", "jobset", "gang", "-o", "json"));
  }

  private static void awaitJobSet(String what, Predicate<JsonNode> holds) {
    await(what).atMost(PATIENCE).until(() -> holds.test(jobSet()));
  }

  /**
   * A JobSet from its creation through a suspension to its end. The test is its controller. Fails
   * when the object runs without a reservation, or its end does not end its job.
   */
  @Test
  void jobSetRunsInPlaceOnItsReservedNodes() throws IOException {
    pool.applies("deploy/cluster-front.yaml");
    pool.applies("deploy/cluster-front-nodes.yaml");
    try (InputStream crds = KubernetesFrontIT.class.getResourceAsStream("/kinds/crds.yaml")) {
      pool.apply(new String(crds.readAllBytes(), StandardCharsets.UTF_8));
    }
    pool.kubectl("wait", "--for=condition=Established", "crd/jobsets.jobset.x-k8s.io");
    pool.kubectl("create", "namespace", "team-c");
    Http.Answer mapped =
        http.send(
            "PUT",
            "/api/v1/clusters/pool/front-namespaces/team-c",
            "{project: vision}",
            "Content-Type",
            Http.YAML);
    assertThat(mapped.status()).as(mapped.body()).isEqualTo(200);
    pool.apply(
        """
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {namespace: team-c, name: gang, labels: {fairlead.dev/queue: default}}
        spec:
          suspend: true
          replicatedJobs:
          - name: worker
            replicas: 2
            template: {spec: {template: {spec: {nodeSelector: {nvidia.com/gpu.product: %s}, containers: [
              {name: c, image: "registry.example.com/train:1", resources: {limits: {nvidia.com/gpu: 2}}}]}}}}
        """
            .formatted(MODEL));
    controller("Suspended", "True");

    awaitJobSet("it starts", is -> !is.at("/spec/suspend").asBoolean(true));
    assertThat(jobSet().at("/spec/replicatedJobs/0/template/spec/template").toString())
        .contains("fronted-0000", "reserved-by");
    controller("Suspended", "False");
    await().atMost(PATIENCE).until(() -> state("jobset-gang-").equals("RUNNING"));
    String id = jobsNamed("jobset-gang-").getFirst().get("id").asString();

    assertThat(http.send("POST", "/api/v1/jobs/" + id + "/suspend", null).status()).isLessThan(300);
    awaitJobSet("it stops", is -> is.at("/spec/suspend").asBoolean(false));
    controller("Suspended", "True");
    await().atMost(PATIENCE).until(() -> state("jobset-gang-").equals("SUSPENDED"));
    assertThat(http.send("POST", "/api/v1/jobs/" + id + "/resume", null).status()).isLessThan(300);
    awaitJobSet("it starts again", is -> !is.at("/spec/suspend").asBoolean(true));

    controller("Completed", "True");
    await().atMost(PATIENCE).until(() -> state("jobset-gang-").equals("SUCCEEDED"));
    awaitJobSet("it is released", is -> is.at("/metadata/finalizers").isEmpty());
    assertThat(jobSet().at("/metadata/annotations").path("fairlead.dev/status").asString(""))
        .contains("CompletionsReached");
    pool.kubectl("-n", "team-c", "delete", "jobset", "gang", "--timeout=30s");
  }

  /** Others cannot use Fairlead's permission to change Jobs. */
  @Test
  void fairleadIdentityCannotChangeOtherJobs(@TempDir Path folder) {
    front.kubectl(
        "-n", "team-b", "create", "job", "theirs", "--image", "registry.example.com/other:1");

    String told =
        front.refused(
            folder, "-n", "team-b", "annotate", "job", "theirs", "fairlead.dev/installation=x");

    assertThat(told).contains("only Jobs with spec.managedBy");
  }
}
