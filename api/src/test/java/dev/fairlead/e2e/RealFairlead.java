package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.kubernetes.RealNodes;
import io.fabric8.kubernetes.api.model.resource.v1.Device;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.awaitility.core.ConditionTimeoutException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The service and clusters of real nodes. */
final class RealFairlead {
  static final Duration PATIENCE = Duration.ofSeconds(180);

  /** The driver and DeviceClass of {@link #claiming}. */
  static final String DRIVER = "gpu.example.com";

  /** The taint of a spot machine that its provider reclaims. */
  static final String SPOT = "aws-node-termination-handler/spot-itn=yes:NoSchedule";

  /** The nodes of {@link #claiming}. */
  static final List<String> CLAIMING = List.of("real-0", "real-1");

  private static final int FIRST_NODE_GPUS = 8;
  private static final int SECOND_NODE_GPUS = 4;
  private final RealNodes.Cluster cluster;
  private final Http http;

  private RealFairlead(RealNodes.Cluster cluster, Http http) {
    this.cluster = cluster;
    this.http = http;
  }

  /**
   * A service and a cluster with {@code real-0} (eight GPUs) and {@code real-1} (four GPUs), shared
   * by all suites of this JVM.
   */
  static RealFairlead shared() {
    return Shared.FAIRLEAD;
  }

  private static final class Shared {
    static final RealFairlead FAIRLEAD = start();
  }

  private static RealFairlead start() {
    RealNodes.Cluster cluster = RealNodes.shared();
    cluster.up("real-0", FIRST_NODE_GPUS);
    cluster.up("real-1", SECOND_NODE_GPUS);
    RunningFairlead service =
        RunningFairlead.start(
            "--fairlead.key-file=" + key(), "--fairlead.sessions.url=http://sessions.localhost");
    Runtime.getRuntime().addShutdownHook(new Thread(service::end));
    RealFairlead real = of(service, "real", cluster);
    real.awaitOfferedGpus("real-0", FIRST_NODE_GPUS);
    real.awaitOfferedGpus("real-1", SECOND_NODE_GPUS);
    return real;
  }

  /** A service with its first cluster. */
  static RealFairlead of(RunningFairlead service, String name, RealNodes.Cluster cluster) {
    RealFairlead real = new RealFairlead(cluster, service.http());
    real.connect(name, cluster);
    return real;
  }

  /** The service at this address with its first cluster, whose pods reach it at the callback. */
  static RealFairlead at(Http http, String name, RealNodes.Cluster cluster, String callback) {
    RealFairlead real = new RealFairlead(cluster, http);
    real.connect(name, cluster, Map.of("callback", callback));
    return real;
  }

  /**
   * A service with a cluster of two nodes with the Kubernetes example driver. Pods claim its GPUs,
   * and Fairlead taints some.
   *
   * @param images images of the nodes apart from {@code job}
   */
  static RealFairlead claiming(
      RunningFairlead service, RealNodes.Cluster cluster, int gpus, String... images) {
    cluster.plane().applies("deploy/cluster-dra.yaml");
    cluster
        .plane()
        .apply(
            """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: gpu.example.com}
            spec:
              selectors:
              - cel: {expression: "device.driver == 'gpu.example.com'"}
            """);
    RealFairlead real = new RealFairlead(cluster, service.http());
    CLAIMING.forEach(node -> cluster.upWithDriver(node, gpus, images));
    real.connect(
        "real",
        cluster,
        Map.of(
            "devices",
            Map.of("kind", "DRA", "deviceClass", DRIVER),
            "nodeLabelsAndTaints",
            "POOL_AND_QUARANTINE"));
    CLAIMING.forEach(node -> real.awaitOfferedGpus(node, gpus));
    return real;
  }

  /** Names of the devices that the driver of the node publishes, by their UUIDs. */
  Map<String, String> published(String node) {
    return cluster.plane().admin().resources(ResourceSlice.class).list().getItems().stream()
        .filter(slice -> node.equals(slice.getSpec().getNodeName()))
        .flatMap(slice -> slice.getSpec().getDevices().stream())
        .collect(
            Collectors.toMap(
                device -> device.getAttributes().get("uuid").getString(), Device::getName));
  }

  /** Claims of the pods of jobs. */
  List<ResourceClaim> claims() {
    return cluster
        .plane()
        .admin()
        .resources(ResourceClaim.class)
        .inNamespace(namespace())
        .list()
        .getItems();
  }

  /** All GPUs of the nodes of {@link #claiming} are published and healthy again. */
  void publishesAll(int gpus) {
    for (String node : CLAIMING) {
      if (published(node).size() < gpus) {
        cluster.publish(node, gpus);
      }
      awaitOfferedGpus(node, gpus);
    }
  }

  void connect(String name, RealNodes.Cluster more) {
    connect(name, more, Map.of());
  }

  private void connect(String name, RealNodes.Cluster more, Map<String, Object> settings) {
    TreeMap<String, Object> fields = new TreeMap<>(settings);
    fields.put("name", name);
    fields.put("kubeconfig", more.plane().kubeconfig());
    String body = JsonMapper.builder().build().writeValueAsString(fields);
    Http.Answer answer = http.json("/api/v1/clusters", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
  }

  private static Path key() {
    try {
      Path directory = Files.createTempDirectory("real-fairlead");
      directory.toFile().deleteOnExit();
      Path file = directory.resolve("key");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  RealNodes.Cluster cluster() {
    return cluster;
  }

  /** The address of the service. */
  String base() {
    return http.base();
  }

  /** The cluster of the jobs. */
  String namespace() {
    return http.namespace("default");
  }

  /**
   * Submits a job whose members run a Python program, and returns its API path.
   *
   * @param fields YAML of the job's other fields, one a line
   */
  String submit(String fields, String program) {
    return submit(spec(fields, program));
  }

  /** Submits a job and returns its API path. */
  String submit(String spec) {
    Http.Answer answer = http.yaml("/api/v1/projects/default/jobs", spec);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static String spec(String fields, String program) {
    return "image: localhost/job:1\ncpu: 50m\nmemory: 128Mi\nshm: 16Mi\n"
        + fields.strip()
        + "\ncommand: [python3, -u, -c]\nargs:\n- |\n"
        + program.indent(2);
  }

  /** A health test on demand that runs a Python program, with the job's fields as YAML lines. */
  void healthTest(String name, String fields, String program) {
    String body = "project: default\nstep: REBOOT\njob:\n" + spec(fields, program).indent(2);
    Http.Answer answer =
        http.send("PUT", "/api/v1/health-tests/" + name, body, "Content-Type", Http.YAML);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  /** A claim for a directory of this machine that all its nodes see. */
  void claim(String name, Path directory) {
    cluster
        .plane()
        .apply(
            """
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: %1$s}
            spec:
              capacity: {storage: 1Gi}
              accessModes: [ReadWriteMany]
              storageClassName: ""
              claimRef: {namespace: %2$s, name: %1$s}
              hostPath: {path: "%3$s", type: Directory}
            ---
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: %1$s, namespace: %2$s}
            spec:
              accessModes: [ReadWriteMany]
              storageClassName: ""
              volumeName: %1$s
              resources: {requests: {storage: 1Gi}}
            """
                .formatted(name, namespace(), directory));
  }

  /** Runs of a health test, newest first. */
  List<JsonNode> testRuns(String test) {
    return items("/api/v1/health-test-runs?healthTest=" + test).toList();
  }

  void awaitNode(String node, String state) {
    await(node + " " + state)
        .atMost(PATIENCE)
        .until(() ->
            http.get("/api/v1/nodes/" + node).json().path("state").asString("").equals(state));
  }

  /**
   * Quarantines and releases a node. Jobs start there again: its quarantines and those of its GPUs
   * have ended, and attempts that failed there no longer count.
   */
  void renew(String node) {
    Http.Answer answer =
        http.json("/api/v1/nodes/" + node + "/quarantine", "{\"reason\": \"repaired\"}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    repaired(node);
    awaitNode(node, "ACTIVE");
  }

  /** Ends the quarantines of a node and of its GPUs. */
  void repaired(String node) {
    Http.Answer answer =
        http.json("/api/v1/nodes/" + node + "/release", "{\"reason\": \"repaired\"}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  /** The posts of a cluster monitor about its nodes. */
  void reports(String body) {
    Http.Answer answer = http.json("/api/v1/clusters/real/health-events", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.json().path("leftAside").size()).as(answer.body()).isZero();
  }

  void cancel(String job) {
    assertThat(http.json(job + "/cancel", "").status()).isEqualTo(200);
  }

  JsonNode job(String job) {
    return http.get(job).json();
  }

  /** The job, once it has reached that state. */
  JsonNode reach(String job, String state) {
    return reach(job, state, seen -> true);
  }

  JsonNode reach(String job, String state, Predicate<JsonNode> wish) {
    await("job " + state)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .until(() -> {
          JsonNode seen = job(job);
          return seen.get("state").asString().equals(state) && wish.test(seen);
        });
    return job(job);
  }

  JsonNode attempt(String job, int number) {
    return items(job + "/attempts")
        .filter(attempt -> attempt.get("number").asInt() == number)
        .findFirst()
        .orElseThrow();
  }

  /** A member of the first attempt by its index. */
  JsonNode member(String job, int index) {
    return attempt(job, 1).get("members").get(index);
  }

  String pod(String job, int index) {
    return member(job, index).get("pod").asString();
  }

  String node(String job, int index) {
    return member(job, index).get("node").asString();
  }

  /** Waits until an attempt is in that state. A failure has the explanation of the job. */
  void awaitAttempt(String job, int number, String state) {
    try {
      await("attempt " + state)
          .atMost(PATIENCE)
          .until(() ->
              items(job + "/attempts")
                  .filter(attempt -> attempt.get("number").asInt() == number)
                  .anyMatch(attempt -> attempt.get("state").asString().equals(state)));
    } catch (ConditionTimeoutException e) {
      String nodes = http.get("/api/v1/nodes?pageSize=200").body();
      throw new AssertionError(http.get(job + "/explanation").body() + "\n" + nodes, e);
    }
  }

  /** Events of that type about the job, in order. */
  List<JsonNode> facts(String job, String type) {
    return items(job + "/events?pageSize=200")
        .filter(event -> event.get("type").asString().equals(type))
        .map(event -> event.get("data"))
        .toList();
  }

  /** Output of the member of the newest attempt so far, empty before the first line. */
  String log(String job, String member) {
    Http.Answer answer = http.get(job + "/logs?member=" + member);
    return answer.status() == 200 ? answer.body() : "";
  }

  void awaitLog(String job, String member, String text) {
    await("log says " + text).atMost(PATIENCE).until(() -> log(job, member).contains(text));
  }

  /** Follows the output of the first member until it ends. */
  Stream<String> follow(String job) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(http.base() + job + "/logs?follow=true")).build();
    try {
      HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
      return client.send(request, HttpResponse.BodyHandlers.ofLines()).body();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** GPUs of the node that the cluster offers, as Fairlead knows it. */
  int offeredGpus(String node) {
    return items("/api/v1/nodes?pageSize=200")
        .filter(seen -> seen.get("name").asString().equals(node))
        .mapToInt(seen -> seen.at("/allocatable/gpu").asInt())
        .sum();
  }

  void awaitOfferedGpus(String node, int count) {
    await(count + " GPUs of " + node).atMost(PATIENCE).until(() -> offeredGpus(node) == count);
  }

  private Stream<JsonNode> items(String path) {
    Http.Answer answer = http.get(path);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return StreamSupport.stream(answer.json().get("items").spliterator(), false);
  }
}
