package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * ModelServices that {@code kubectl} applies to a real control plane, served on another cluster.
 */
@OnControlPlane
class ModelServiceIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final EmbeddedDatabase DATABASE = MigratedDatabase.start();
  private static final String KEY = "--fairlead.key-file=" + RunningFairlead.keyFile();
  private static final TestCluster FRONT = KubernetesCluster.shared();
  private static @Nullable RunningFairlead fairlead;

  @BeforeAll
  static void aFrontAndASimulatedPool() {
    FRONT.applies("deploy/crds/modelservice.yaml");
    FRONT.kubectl("wait", "--for=condition=Established", "crd/modelservices.fairlead.dev");
    FRONT.applies("deploy/cluster-front.yaml");
    FRONT.kubectl("create", "namespace", "team-m");
    FRONT.kubectl("create", "namespace", "team-n");
    start();
    TreeMap<String, String> front = new TreeMap<>();
    front.put("name", "front");
    front.put("kubeconfig", FRONT.kubeconfig());
    created(http().json("/api/v1/clusters", JSON.writeValueAsString(front)));
    created(
        http()
            .json(
                "/api/v1/clusters",
                "{\"name\":\"pool\",\"kind\":\"SIMULATED\",\"fleet\":[{\"nodes\":4,\"gpusPerNode\":8,\"model\":\"H100\"}]}"));
    created(http().json("/api/v1/projects", "{\"name\":\"vision\"}"));
    for (String namespace : new String[] {"team-m", "team-n"}) {
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
  }

  private static void created(Http.Answer answer) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
  }

  @AfterAll
  static void theServiceEnds() {
    stop();
    DATABASE.close();
  }

  private static void start() {
    fairlead = RunningFairlead.startBehind(DATABASE, DATABASE.url(), KEY);
  }

  private static void stop() {
    RunningFairlead running = fairlead;
    fairlead = null;
    if (running != null) {
      running.end();
    }
  }

  private static Http http() {
    return Objects.requireNonNull(fairlead, "it runs").http();
  }

  private static String manifest(String namespace, String name, String program) {
    return """
    apiVersion: fairlead.dev/v1alpha1
    kind: ModelService
    metadata: {namespace: %s, name: %s}
    spec:
      route: %s.example.com
      minReplicas: 2
      maxReplicas: 4
      steps: [50, 100]
      stepFor: 1s
      job:
        image: registry.example.com/server:4
        run: %s
        gpu: H100:1
        annotations: {sim.fairlead.dev/requests: "400"}
    """
        .formatted(namespace, name, name, program);
  }

  private static String kubectl(String... arguments) {
    String[] all = new String[arguments.length + 2];
    all[0] = "-n";
    all[1] = "team-m";
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return FRONT.kubectl(all);
  }

  private static JsonNode read(String namespace, String name) {
    return JSON.readTree(FRONT.kubectl("-n", namespace, "get", "modelservice", name, "-o", "json"));
  }

  private static String told(String namespace, String name) {
    return read(namespace, name)
        .at("/status/conditions")
        .valueStream()
        .filter(one -> one.path("status").asString("").equals("True"))
        .map(one ->
            "%s %s: %s"
                .formatted(
                    one.path("type").asString(""),
                    one.path("reason").asString(""),
                    one.path("message").asString("")))
        .findFirst()
        .orElse("nothing");
  }

  private static void awaitTold(String name, String begin) {
    awaitTold("team-m", name, begin);
  }

  private static void awaitTold(String namespace, String name, String begin) {
    await(name + " is " + begin)
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(told(namespace, name)).startsWith(begin));
  }

  private static void awaitReady(String name, int generation, int version) {
    await(name + " serves version " + version)
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          JsonNode status = read("team-m", name).path("status");
          assertThat(status.path("phase").asString("")).as(status.toString()).isEqualTo("Ready");
          assertThat(status.path("observedGeneration").asInt()).isEqualTo(generation);
          assertThat(status.path("stableVersion").asInt()).isEqualTo(version);
        });
  }

  private static int status(String name) {
    return http().get("/api/v1/projects/vision/services/" + name).status();
  }

  private static void delete(String name) {
    kubectl("delete", "modelservice", name, "--timeout=100s");
    await().atMost(PATIENCE).until(() -> status(name) == 404);
  }

  @Test
  void anAppliedModelServiceServesAndAChangedModelRollsOut() {
    FRONT.apply(manifest("team-m", "chat", "serve v1"));

    kubectl("wait", "--for=condition=Ready", "modelservice/chat", "--timeout=120s");

    JsonNode status = read("team-m", "chat").path("status");
    assertThat(status.path("url").asString()).isEqualTo("http://chat.example.com");
    assertThat(status.path("readyReplicas").asInt()).isEqualTo(2);
    assertThat(status.at("/traffic/0/weight").asInt()).isEqualTo(100);
    assertThat(kubectl("get", "modelservices")).contains("PHASE", "Ready", "chat.example.com");
    assertThat(kubectl("get", "pods", "-o", "name")).isEmpty();

    FRONT.apply(manifest("team-m", "chat", "serve v2"));

    awaitReady("chat", 2, 2);
    delete("chat");
  }

  /** Fails when a wrong field is dropped, or a corrected spec is still refused. */
  @Test
  void invalidSpecStallsWithItsPointerUntilCorrected() {
    String right = manifest("team-m", "typo", "serve v1");
    FRONT.apply(
        right.replace("minReplicas: 2", "minReplicsa: 2").replace("gpu: H100:1", "gpu: -1"));

    awaitTold("typo", "Stalled InvalidSpec: /spec/");

    assertThat(told("team-m", "typo")).contains("/spec/minReplicsa: ", "Did you mean minReplicas?");
    assertThat(status("typo")).isEqualTo(404);
    FRONT.apply(right);
    awaitReady("typo", 2, 1);
    delete("typo");
  }

  @Tag("long")
  @Test
  void secondModelServiceOfANameIsRejected() {
    FRONT.apply(manifest("team-m", "twice", "serve v1"));
    awaitReady("twice", 1, 1);

    FRONT.apply(manifest("team-n", "twice", "serve v2"));

    awaitTold("team-n", "twice", "Stalled NameInUse: ");
    FRONT.kubectl("-n", "team-n", "delete", "modelservice", "twice", "--timeout=60s");
    awaitReady("twice", 1, 1);
    delete("twice");
  }

  @Tag("long")
  @Test
  void endedReplicaIsReplaced() {
    FRONT.apply(manifest("team-m", "lossy", "serve v1"));
    awaitReady("lossy", 1, 1);
    JsonNode service = http().get("/api/v1/projects/vision/services/lossy").json();
    String job = service.at("/replicas/0/job").asString();

    Http.Answer cancelled = http().send("POST", "/api/v1/jobs/" + job + "/cancel", null);
    assertThat(cancelled.status()).as(cancelled.body()).isLessThan(300);

    awaitTold("lossy", "Reconciling WaitingForReplicas: 1 of 2 replicas are ready");
    awaitReady("lossy", 1, 1);
    delete("lossy");
  }

  /** Fails when changes during an outage of Fairlead are lost, or a service is created twice. */
  @Tag("long")
  @Test
  void changesDuringAnOutageAreAppliedAfterwards() {
    FRONT.apply(manifest("team-m", "steady", "serve v1"));
    FRONT.apply(manifest("team-m", "leaving", "serve v1"));
    awaitReady("steady", 1, 1);
    awaitReady("leaving", 1, 1);
    stop();
    FRONT.apply(manifest("team-m", "steady", "serve v2"));
    kubectl("delete", "modelservice", "leaving", "--wait=false");

    start();

    awaitReady("steady", 2, 2);
    await().atMost(PATIENCE).until(() -> status("leaving") == 404);
    assertThat(kubectl("get", "modelservices", "-o", "name")).doesNotContain("leaving");
    delete("steady");
  }

  @Test
  void fairleadIdentityCannotChangeTheSpec(@TempDir Path folder) {
    FRONT.apply(manifest("team-m", "fixed", "serve v1"));
    awaitReady("fixed", 1, 1);

    String told =
        FRONT.refused(
            folder,
            "-n",
            "team-m",
            "patch",
            "modelservice",
            "fixed",
            "--type=merge",
            "-p",
            "{\"spec\":{\"minReplicas\":3}}");

    assertThat(told).contains("may not change the spec");
    delete("fixed");
  }

  @Test
  void invalidServiceNameIsRejectedByTheApiServer() {
    assertThat(refused(manifest("team-m", "chat.of.the-team", "serve v1")))
        .contains("24 characters");
  }

  private static String refused(String manifest) {
    try {
      FRONT.apply(manifest);
      throw new AssertionError("it was not refused");
    } catch (IllegalStateException refusal) {
      return String.valueOf(refusal.getMessage());
    }
  }
}
