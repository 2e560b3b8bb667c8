package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Nodes that are tested before a job starts, over HTTP, on the real database. */
class PreflightIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aClusterAndATest() {
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: flights, kind: SIMULATED, fleet: [{nodes: 2, gpusPerNode: 8, model: H100}]}");
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get("/api/v1/nodes?cluster=flights").json().get("items").size() == 2);
    assertThat(test("flight", "gpu: 8, maxRuntime: 1m").status()).isEqualTo(200);
  }

  private static Http.Answer test(String name, String job) {
    String body =
        "{project: default, job: {image: dcgm, %s, annotations: {sim.fairlead.dev/run-for: 8s}}}"
            .formatted(job);
    return HTTP.send("PUT", "/api/v1/health-tests/" + name, body, "Content-Type", Http.YAML);
  }

  private static Http.Answer submit(String name, String more) {
    return HTTP.yaml(
        "/api/v1/projects/default/jobs",
        "{name: %s, image: train, placement: {clusters: [flights]}, %s}".formatted(name, more));
  }

  /** Fails when a field of it is not stored, its tests do not run there, or it does not start. */
  @Test
  void jobStartsOnTheNodesThatPassed() {
    Http.Answer submitted =
        submit("flown", "workers: 2, gpu: 8, preflight: {test: flight, onUntested: WAIT}");
    assertThat(submitted.status()).as(submitted.body()).isEqualTo(201);
    String job = submitted.json().get("id").asString();
    assertThat(submitted.json().at("/spec/preflight").toString())
        .contains("\"test\":\"flight\"", "\"timeout\":\"15m\"", "\"onUntested\":\"WAIT\"");
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get("/api/v1/jobs/" + job + "/explanation").body().contains("PREFLIGHT"));
    await()
        .atMost(PATIENCE)
        .until(() ->
            List.of("RUNNING", "SUCCEEDED")
                .contains(HTTP.get("/api/v1/jobs/" + job).json().path("state").asString("")));
    JsonNode runs = HTTP.get("/api/v1/health-test-runs?healthTest=flight").json().get("items");
    assertThat(runs.findValuesAsString("preflightOf")).containsExactly(job, job);
    assertThat(runs.findValuesAsString("outcome")).containsOnly("PASSED");
    HTTP.send("POST", "/api/v1/jobs/" + job + "/cancel", null);
  }

  @Test
  void invalidPreflightIsRejected() {
    assertThat(submit("x", "gpu: 8, preflight: {test: nowhere}").body())
        .contains("/preflight/test", "does not exist");
    assertThat(submit("x", "gpu: 4, preflight: {test: flight}").body())
        .contains("needs 8 GPUs", "has 4");
    assertThat(submit("x", "preflight: {test: flight}").body()).contains("requests none");
    assertThat(submit("x", "gpu: {fraction: 0.5}, preflight: {test: flight}").body())
        .contains("parts of GPUs");
    assertThat(submit("x", "gpu: 8, preflight: {timeout: 5m}").body()).contains("/preflight/test");
    assertThat(submit("x", "gpu: 8, preflight: {test: flight, timeout: 5s}").body())
        .contains("/preflight/timeout");
    assertThat(submit("x", "gpu: 8, preflight: {test: flight, onUntested: HOPE}").body())
        .contains("/preflight/onUntested");
    assertThat(test("nested", "gpu: 8, maxRuntime: 1m, preflight: {test: flight}").body())
        .contains("remove preflight");
  }
}
