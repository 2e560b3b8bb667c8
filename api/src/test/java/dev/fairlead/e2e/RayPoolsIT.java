package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Ray pools over REST, on PostgreSQL and a simulated cluster. */
class RayPoolsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String PROJECT = "/api/v1/projects/rays";
  private static final String POOLS = PROJECT + "/warm-pools";
  private static final String CLUSTER =
      "image: ray, launcher: ray, run: [sleep, infinity], workers: 2, gpu: 2, placement: {clusters: [rays]}";
  private static final Http http = RunningFairlead.shared().http();

  @BeforeAll
  static void aClusterAndAProject() {
    http.yaml(
        "/api/v1/clusters",
        "{name: rays, kind: SIMULATED, fleet: [{nodes: 2, gpusPerNode: 8, model: H100}]}");
    http.yaml("/api/v1/projects", "{name: rays}");
  }

  private static Http.Answer put(String name, String body) {
    return http.send("PUT", POOLS + "/" + name, body, "Content-Type", Http.YAML);
  }

  private static Http.Answer submit(String fields) {
    return http.yaml(PROJECT + "/jobs", "{image: ray, run: [python, x.py], " + fields + "}");
  }

  private static JsonNode job(String name) {
    return http.get(PROJECT + "/jobs?name=" + name).json().at("/items/0");
  }

  /** Fails when a stored driver or pool differs from its in-memory twin, or cannot be used. */
  @Test
  void jobOfAPoolRunsInARayClusterStartedByThePool() {
    Http.Answer made =
        put("small", "{members: 1, ray: {jobs: 2, idleAfter: 5m}, job: {" + CLUSTER + "}}");
    assertThat(made.status()).as(made.body()).isEqualTo(200);
    assertThat(made.json().at("/ray/idleAfter").asString()).isEqualTo("5m");
    assertThat(submit("name: other, rayPool: smal").body()).contains("/rayPool", "small");
    Http.Answer sent =
        submit("name: eda, rayPool: small, annotations: {sim.fairlead.dev/run-for: 10m}");
    assertThat(sent.status()).as(sent.body()).isEqualTo(201);
    await().atMost(PATIENCE).until(() -> job("eda").path("state").asString("").equals("RUNNING"));

    assertThat(job("small-ray-1").get("state").asString()).isEqualTo("RUNNING");
    JsonNode driver = http.get("/api/v1/jobs/" + job("eda").get("id").asString()).json();
    assertThat(driver.at("/spec/rayPool").asString()).isEqualTo("small");
    assertThat(http.get(PROJECT + "/jobs?label=fairlead.dev/ray-driver%3Dsmall-ray-1").body())
        .contains("eda");
    assertThat(driver.at("/cost/lines").toString()).as("its share of the GPUs").contains("H100");
    assertThat(driver.at("/cost/soFar").isMissingNode()).isFalse();
    assertThat(
            submit("name: full, rayPool: small, annotations: {sim.fairlead.dev/run-for: 10m}")
                .status())
        .isEqualTo(201);
    assertThat(submit("name: waits, rayPool: small").status()).isEqualTo(201);
    await()
        .atMost(PATIENCE)
        .until(() ->
            http.get("/api/v1/jobs/" + job("waits").get("id").asString() + "/explanation")
                .body()
                .contains("is full: 2 of 2 jobs"));
    for (String name : List.of("full", "waits")) {
      http.send("POST", "/api/v1/jobs/" + job(name).get("id").asString() + "/cancel", null);
    }
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(POOLS).json().at("/items/0/ray/active").asInt() == 1);
    assertThat(http.send("DELETE", POOLS + "/small", null).status())
        .as("a pool with an active job")
        .isEqualTo(409);

    http.send("POST", "/api/v1/jobs/" + driver.get("id").asString() + "/cancel", null);
    await().atMost(PATIENCE).until(() -> job("eda").path("state").asString("").equals("CANCELLED"));
    assertThat(http.send("DELETE", POOLS + "/small", null).status()).isEqualTo(204);
    assertThat(http.get(POOLS).json().at("/items/0/deleting").asBoolean()).isTrue();
    await()
        .atMost(PATIENCE)
        .until(() -> job("small-ray-1").get("state").asString().equals("CANCELLED"));
    assertThat(submit("name: late, rayPool: small").body()).contains("/rayPool");
  }

  /** Fails when a pool that can have no Ray clusters is accepted. */
  @Test
  void aPoolWithoutARayClusterIsRefused() {
    assertThat(put("bad", "{members: 2, ray: {jobs: 0}, job: {" + CLUSTER + "}}").body())
        .contains("/ray/jobs");
    assertThat(put("bad", "{members: 1, ray: {min: 2, jobs: 1}, job: {" + CLUSTER + "}}").body())
        .contains("must be at least ray.min");
    assertThat(
            put("bad", "{members: 1, ray: {jobs: 1}, job: {image: x, run: x, launcher: ray}}")
                .body())
        .contains("two or more workers");
    assertThat(
            put("bad", "{members: 1, ray: {jobs: 1}, job: {image: x, launcher: jupyter}}").body())
        .contains("needs launcher ray");
  }
}
