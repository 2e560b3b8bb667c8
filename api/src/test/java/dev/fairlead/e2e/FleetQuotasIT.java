package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Quota between tenants, set by an administrator, and its effect on jobs of a tenant. */
class FleetQuotasIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String OURS = "/api/v1/fleet-quotas/fleet-ours";
  private static final String[] TENANT = {"Fairlead-Tenant", "fleet-ours"};
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aClusterAndATenant() {
    made("/api/v1/tenants", "{name: fleet-ours}");
    made(
        "/api/v1/clusters",
        "{name: fleet-c, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 4, model: L40}]}");
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get("/api/v1/clusters/fleet-c").json().get("nodes").asInt() == 1);
  }

  /** Fails when only one of plan, write and explanation applies the limits of the platform. */
  @Test
  void tenantStaysWithinItsFleetQuotaAndTheRestWaitsWithTheReason() {
    limit("{limits: [{flavor: L40/RESERVED, resource: gpu, nominal: 1, borrowingLimit: 0}]}");
    String first = submitted("first");
    running(first);
    String second = submitted("second");

    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(get(second + "/explanation", TENANT).toString())
                .contains("the platform leaves")
                .doesNotContain("\"usedMilli\"")
                .doesNotContain("\"quotaMilli\""));
    assertThat(get(OURS).at("/usage").toString()).contains("\"used\":1");

    assertThat(HTTP.send("POST", first + "/cancel", null, TENANT).status()).isLessThan(300);
    running(second);
    HTTP.send("POST", second + "/cancel", null, TENANT);
  }

  /** Fails when a change overwrites a change unseen by its caller. */
  @Test
  void staleUpdateIsRejected() {
    Http.Answer stale =
        HTTP.send(
            "PATCH",
            OURS + "?validateOnly=true",
            "{weight: 2}",
            "Content-Type",
            "application/yaml",
            "If-Match",
            "\"99\"");

    assertThat(stale.status()).as(stale.body()).isEqualTo(412);
  }

  /**
   * Fails when quotas of all tenants have the same name in the history, so that a single quota
   * cannot be found.
   */
  @Test
  void theHistoryNamesTheTenantOfAQuota() {
    String history = "/api/v1/config/history?kind=FLEET_QUOTA&name=fleet/fleet-kept";
    made("/api/v1/tenants", "{name: fleet-kept}");
    Http.Answer set =
        HTTP.send(
            "PATCH",
            "/api/v1/fleet-quotas/fleet-kept",
            "{weight: 2}",
            "Content-Type",
            "application/yaml",
            "If-Match",
            "*");

    assertThat(set.status()).as(set.body()).isEqualTo(200);
    assertThat(get(history, "Fairlead-Tenant", "fleet-kept").at("/items").toString())
        .contains("updateFleetQuota", "\"before\":\"1000\",\"after\":\"2000\"");
  }

  private static void limit(String patch) {
    Http.Answer answer =
        HTTP.send("PATCH", OURS, patch, "Content-Type", "application/yaml", "If-Match", "*");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private static String submitted(String name) {
    String spec =
        "{name: %s, image: x, gpu: L40:1, placement: {clusters: [fleet-c]}, annotations: {sim.fairlead.dev/run-for: 1h}}"
            .formatted(name);
    return "/api/v1/jobs/"
        + made("/api/v1/projects/default/jobs", spec, TENANT).get("id").asString();
  }

  private static void running(String job) {
    await()
        .atMost(PATIENCE)
        .until(() -> get(job, TENANT).path("state").asString("").equals("RUNNING"));
  }

  private static JsonNode made(String path, String body, String... headers) {
    Http.Answer answer = HTTP.yaml(path, body, headers);
    assertThat(answer.status()).as(path + " " + answer.body()).isEqualTo(201);
    return answer.json();
  }

  private static JsonNode get(String path, String... headers) {
    return HTTP.get(path, headers).json();
  }
}
