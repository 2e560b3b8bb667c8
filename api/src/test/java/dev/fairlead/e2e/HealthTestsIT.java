package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tests of nodes over HTTP, on the real database and a simulated cluster. */
class HealthTestsIT {
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final String TESTS = "/api/v1/health-tests/";
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aCluster() {
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: lab, kind: SIMULATED, fleet: [{nodes: 4, gpusPerNode: 8, model: H100}]}");
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: idle-lab, kind: SIMULATED, fleet: [{nodes: 8, gpusPerNode: 8, model: H100}]}");
    await().atMost(PATIENCE).until(() -> nodes().size() == 4);
  }

  private static List<String> nodes() {
    return HTTP.get("/api/v1/nodes?cluster=lab").json().get("items").findValuesAsString("name");
  }

  private static Http.Answer put(String name, String job, String more) {
    String lab = more.contains("idleFor") ? "idle-lab" : "lab";
    String body =
        "{project: default, job: {image: dcgm, %s, placement: {clusters: [%s]}}%s}"
            .formatted(job, lab, more);
    return HTTP.send("PUT", TESTS + name, body, "Content-Type", Http.YAML);
  }

  private static void set(String name, String job, String more) {
    Http.Answer answer = put(name, job, more);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private static JsonNode ended(String test) {
    return await()
        .atMost(PATIENCE)
        .until(
            () ->
                HTTP.get("/api/v1/health-test-runs?healthTest=" + test)
                    .json()
                    .get("items")
                    .valueStream()
                    .filter(run -> !run.path("outcome").asString("").isEmpty())
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  private static Http.Answer run(String test, String node) {
    return HTTP.yaml(TESTS + test + "/runs", "{node: " + node + "}");
  }

  @Test
  void passingNodeStaysInUseAndFailingNodeIsTakenOutOfUse() {
    String good = nodes().get(0);
    String bad = nodes().get(1);
    String runs = "maxRuntime: 1m, annotations: {sim.fairlead.dev/run-for: ";
    set("good", runs + "10s}", "");
    set("bad", runs + "1s, sim.fairlead.dev/outcome: fail}", ", step: REBOOT");
    assertThat(run("good", good).status()).isEqualTo(201);
    assertThat(run("good", good).code()).isEqualTo("ILLEGAL_STATE");
    assertThat(run("bad", bad).status()).isEqualTo(201);

    JsonNode passed = ended("good");
    assertThat(passed.get("outcome").asString()).isEqualTo("PASSED");
    assertThat(passed.get("node").asString()).isEqualTo(good);
    JsonNode job = HTTP.get("/api/v1/jobs/" + passed.get("job").asString()).json();
    assertThat(job.get("user").asString()).isEqualTo("health-tests");
    assertThat(job.at("/spec/priorityClass").asString()).isEqualTo("low");

    JsonNode failed = ended("bad");
    assertThat(failed.get("outcome").asString()).isEqualTo("FAILED");
    String incident = failed.get("message").asString().replaceAll(".*(inc_[a-z0-9]+).*", "$1");
    JsonNode broken = HTTP.get("/api/v1/incidents/" + incident).json();
    assertThat(broken.get("cause").asString()).startsWith("test bad failed: ");
    assertThat(broken.get("step").asString()).isEqualTo("REBOOT");
    assertThat(HTTP.get("/api/v1/nodes/" + bad).json().path("state").asString(""))
        .isEqualTo("QUARANTINED");
    assertThat(run("good", bad).body()).contains("QUARANTINED");
    JsonNode flakyNodes = HTTP.get("/api/v1/flaky-nodes").json().get("items");
    assertThat(flakyNodes.findValuesAsString("node")).contains(bad).doesNotContain(good);
    assertThat(flakyNodes.findValuesAsString("kind")).contains("TEST");
    assertThat(HTTP.get("/api/v1/health-test-runs?node=" + bad).json().get("items")).hasSize(1);
  }

  /**
   * Fails without the loop's check of the clock, which is due every 30 seconds. Jobs of other tests
   * may hold some of the nodes.
   */
  @Tag("long")
  @Test
  void idleNodeIsTestedOnSchedule() {
    set(
        "clock",
        "maxRuntime: 1m, annotations: {sim.fairlead.dev/run-for: 1s}",
        ", every: 7d, idleFor: 0s, atOnce: 2");
    assertThat(ended("clock").get("outcome").asString()).isEqualTo("PASSED");
    assertThat(HTTP.send("DELETE", TESTS + "clock", null).status()).isEqualTo(204);
    assertThat(HTTP.send("DELETE", TESTS + "clock", null).status()).isEqualTo(404);
    assertThat(ended("clock").get("test").asString()).isEqualTo("clock");
  }

  @Test
  void invalidHealthTestIsRejected() {
    assertThat(put("x", "maxRuntime: 1m", ", every: 1s").body()).contains("/every");
    // if the fleet cannot be read within a quarter of a second, nothing is refused
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(put("x", "gpu: {count: 8, model: H900}, maxRuntime: 1m", "").body())
                .contains("GPU model", "H900"));
    assertThat(put("x", "workers: 2, maxRuntime: 1m", "").body()).contains("one member");
    assertThat(put("x", "cpu: 2", "").body()).contains("maxRuntime is missing");
    assertThat(put("x", "gpu: {fraction: 0.5}, maxRuntime: 1m", "").body()).contains("whole GPUs");
    assertThat(put("x", "queue: nowhere, maxRuntime: 1m", "").body()).contains("nowhere");
    assertThat(put("x", "maxRuntime: 1m", ", atOnce: 101").body()).contains("/atOnce");
    assertThat(put("x", "dependsOn: [prepare], maxRuntime: 1m", "").body())
        .contains("/job/dependsOn", "must have no dependsOn");
    assertThat(put("X_", "maxRuntime: 1m", "").code()).isEqualTo("INVALID_PARAMETER");
    assertThat(run("nothing", nodes().getFirst()).status()).isEqualTo(404);
    set("rare", "gpu: {count: 8, model: B200}, maxRuntime: 1m", ", every: 1d");
    assertThat(HTTP.get("/api/v1/health-tests").body()).contains("of the fleet");
    assertThat(run("rare", nodes().getFirst()).body()).contains("does not cover");
  }
}
