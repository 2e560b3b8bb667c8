package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Licences set by an operator, and their effect on jobs. */
class LicencesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aCluster() {
    String cluster =
        "{name: licence-c, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: A10}]}";
    assertThat(HTTP.yaml("/api/v1/clusters", cluster).status()).isEqualTo(201);
  }

  private static Http.Answer set(String name, String body) {
    return HTTP.send("PUT", "/api/v1/licences/" + name, body, "Content-Type", Http.YAML);
  }

  private static String spec(String name, String licences) {
    return "{name: %s, image: x, gpu: 1, licences: %s, placement: {clusters: [licence-c]}, annotations: {sim.fairlead.dev/run-for: 1h}}"
        .formatted(name, licences);
  }

  private static String submitted(String name, String licences) {
    Http.Answer answer = HTTP.yaml("/api/v1/projects/default/jobs", spec(name, licences));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static void state(String job, String state) {
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get(job).json().path("state").asString("").equals(state));
  }

  /** Fails when submit, explanation, plan, list or release ignores the licence. */
  @Test
  void jobWaitsForALicenceUntilItsHolderEndsOrTheCountIsRaised() {
    assertThat(set("solver", "{count: 3}").status()).isEqualTo(200);
    String first = submitted("first", "{solver: 2}");
    state(first, "RUNNING");
    String second = submitted("second", "{solver: 2}");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(HTTP.get(second + "/explanation").body())
                .contains("LICENCE", "requests 2", "1 of 3 are free", "2 are held by 1 job"));
    assertThat(HTTP.yaml("/api/v1/jobs/plan?project=default", spec("p", "{solver: 2}")).body())
        .contains("LICENCE");
    assertThat(HTTP.get("/api/v1/licences").body())
        .contains("{\"name\":\"solver\",\"count\":3,\"cluster\":null,\"held\":2,\"jobs\":1}");
    Http.Answer held = HTTP.send("DELETE", "/api/v1/licences/solver", null);
    assertThat(held.status()).as(held.body()).isEqualTo(409);

    assertThat(set("solver", "{count: 1}").json().get("held").asInt()).isEqualTo(2);
    HTTP.send("POST", first + "/cancel", null);
    state(first, "CANCELLED");
    assertThat(HTTP.get(second).json().at("/state").asString()).isEqualTo("QUEUED");
    assertThat(set("solver", "{count: 2}").status()).isEqualTo(200);
    state(second, "RUNNING");

    HTTP.send("POST", second + "/cancel", null);
    state(second, "CANCELLED");
    assertThat(HTTP.send("DELETE", "/api/v1/licences/solver", null).status()).isEqualTo(204);
    assertThat(HTTP.send("DELETE", "/api/v1/licences/solver", null).status()).isEqualTo(404);
  }

  /**
   * Fails when a job that requests an unknown licence, or more seats than exist, waits instead of
   * being rejected.
   */
  @Test
  void infeasibleSubmitIsRejected() {
    assertThat(set("mesher", "{count: 3}").status()).isEqualTo(200);
    assertThat(HTTP.yaml("/api/v1/projects/default/jobs", spec("a", "{meshr: 1}")).body())
        .contains("/licences/meshr", "There is no licence", "Licences: ", "mesher");
    assertThat(HTTP.yaml("/api/v1/projects/default/jobs", spec("b", "{mesher: 4}")).body())
        .contains("/licences/mesher", "Only 3 of licence");
    assertThat(HTTP.yaml("/api/v1/projects/default/jobs", spec("c", "{mesher: 0}")).status())
        .isEqualTo(422);
    assertThat(HTTP.yaml("/api/v1/projects/default/jobs", spec("d", "{Me: 1}")).body())
        .contains("named by a DNS label");
    assertThat(set("Mesher", "{count: 3}").status()).isEqualTo(400);
    assertThat(set("mesher", "{count: -1}").body()).contains("/count");
    assertThat(set("mesher", "{}").body()).contains("/count", "count is missing");
    assertThat(set("mesher", "{count: 1, size: 2}").body()).contains("/size");
    assertThat(set("mesher", "{count: 1, cluster: licence-c}").body())
        .contains("belongs to all clusters");
    assertThat(set("local", "{count: 1, cluster: nowhere}").body())
        .contains("/cluster", "There is no cluster");
    assertThat(set("local", "{count: 1, cluster: licence-c}").status()).isEqualTo(200);
    String anywhere = "{name: e, image: x, licences: {local: 1}}";
    assertThat(HTTP.yaml("/api/v1/projects/default/jobs", anywhere).body())
        .contains("/placement/clusters", "Licence local", "cluster licence-c");
    state(submitted("f", "{local: 1}"), "RUNNING");
  }
}
