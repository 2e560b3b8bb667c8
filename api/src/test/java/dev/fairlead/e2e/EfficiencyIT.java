package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.egress.TestIdentity;
import dev.fairlead.launcher.EmbeddedDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * A Prometheus that scrapes an exporter in the DCGM format reports to the service how a job uses
 * its GPUs.
 */
class EfficiencyIT extends PrometheusScene {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final EmbeddedDatabase DATABASE = MigratedDatabase.start();
  private static final RunningFairlead FAIRLEAD =
      RunningFairlead.startBehind(DATABASE, DATABASE.url());
  private static final Http HTTP = FAIRLEAD.http();

  private volatile String exposed = "";

  /** Held by a pod of another job, which is scraped too. */
  private volatile String claimed = "";

  @AfterAll
  static void theServiceEnds() {
    FAIRLEAD.close();
  }

  @Override
  TestPrometheus.Target[] targets() {
    return new TestPrometheus.Target[] {
      new TestPrometheus.Target(
          "dcgm", "{namespace: monitoring, pod: dcgm-exporter-x7k2p}", () -> exposed),
      new TestPrometheus.Target("pods", "{namespace: another, pod: fl-of-another-0}", () -> claimed)
    };
  }

  private static JsonNode attempt(String job) {
    return HTTP.get("/api/v1/jobs/" + job + "/attempts").json().at("/items/0");
  }

  /** The exporter's label. The plain names belong to the target of the scraper. */
  private static String gpu(int gpu, String pod, String namespace, int percent) {
    String labels =
        "{gpu=\"%d\",UUID=\"GPU-%d\",modelName=\"NVIDIA H100\",container=\"main\",namespace=\"%s\",pod=\"%s\"}"
            .formatted(gpu, gpu, namespace, pod);
    return "DCGM_FI_DEV_GPU_UTIL%s %d\nDCGM_FI_DEV_FB_USED%s %d\nDCGM_FI_DEV_POWER_USAGE%s 350.5\n"
        .formatted(labels, percent, labels, 40_000 + gpu, labels);
  }

  /** A job with two GPUs on a separate cluster. */
  private static String running(String cluster) {
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: %s, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}"
            .formatted(cluster));
    String job =
        HTTP.yaml(
                "/api/v1/projects/default/jobs",
                "{image: x, gpu: 2, placement: {clusters: [%s]}, annotations: {sim.fairlead.dev/run-for: 1h}}"
                    .formatted(cluster))
            .json()
            .get("id")
            .asString();
    await().atMost(PATIENCE).until(() -> attempt(job).path("state").asString("").equals("RUNNING"));
    return job;
  }

  /** Returns when Prometheus has scraped both of its GPUs, and a GPU of a foreign pod. */
  private void expose(String job, int first, int second) {
    String pod = attempt(job).at("/members/0/pod").asString();
    String namespace = HTTP.get("/api/v1/projects/default").json().get("namespace").asString();
    claimed = gpu(3, pod, namespace, 0) + gpu(4, pod, namespace, 0) + gpu(5, "fl-x", "x", 7);
    exposed =
        gpu(0, pod, namespace, first) + gpu(1, pod, namespace, second) + gpu(2, "fl-x", "x", 7);
    prometheus.awaitScrape();
  }

  /** The cluster with the Prometheus set. */
  private JsonNode measured(String cluster) {
    String path = "/api/v1/clusters/" + cluster;
    String body =
        "{\"prometheus\":{\"url\":\"https://127.0.0.1:%d/\",\"caData\":\"%s\"}}"
            .formatted(prometheus.port(), TestIdentity.certificate());
    Http.Answer patched =
        HTTP.send(
            "PATCH",
            path,
            body,
            "Content-Type",
            "application/merge-patch+json",
            "If-Match",
            HTTP.get(path).header("ETag"));
    assertThat(patched.status()).as(patched.body()).isEqualTo(200);
    return patched.json();
  }

  /**
   * Fails when samples do not reach the owner of the job, or when GPU samples of another job's pod
   * count.
   */
  @Test
  void aJobIsShownWithTheUtilisationOfItsGpus() {
    String job = running("efficient");
    assertThat(attempt(job).get("efficiency").isNull()).isTrue();

    expose(job, 90, 50);
    assertThat(measured("efficient").at("/prometheus/url").asString())
        .isEqualTo("https://127.0.0.1:" + prometheus.port());

    await().atMost(PATIENCE.multipliedBy(3)).until(() -> !attempt(job).get("efficiency").isNull());
    JsonNode efficiency = attempt(job).get("efficiency");
    assertThat(efficiency.get("utilisation").asDouble()).isEqualTo(70);
    assertThat(efficiency.get("lastUtilisation").asDouble()).isEqualTo(70);
    assertThat(efficiency.get("memoryPeakMib").asLong()).isEqualTo(40_001);
    assertThat(efficiency.get("energyJoules").asLong()).isNotNegative();
    assertThat(efficiency.get("idleSince").isNull()).isTrue();
    assertThat(HTTP.get("/api/v1/reports/idle").json().get("attempts").toString())
        .doesNotContain(job);
    HTTP.json("/api/v1/jobs/" + job + "/cancel", "");
  }

  private static Http.Answer policy(String policy) {
    return HTTP.send(
        "PATCH",
        "/api/v1/projects/default",
        "{\"idlePolicy\": " + policy + "}",
        "Content-Type",
        "application/merge-patch+json");
  }

  /** Fails when an idle job is not stopped on the real database, or lacks the reason. */
  @Tag("long")
  @Test
  void longIdleJobIsSuspended() throws SQLException {
    String job = running("lazy");
    expose(job, 0, 1);
    assertThat(measured("lazy").get("prometheus").isNull()).isFalse();
    String idle = "/api/v1/reports/idle";
    await().atMost(PATIENCE.multipliedBy(3)).until(() -> HTTP.get(idle).body().contains(job));
    assertThat(HTTP.get(idle).json().at("/attempts/0/gpus").asDouble()).isEqualTo(2);
    String rules = "{\"mode\":\"RECLAIM\",\"warnAfter\":\"5m\",\"reclaimAfter\":\"6m\"}";
    assertThat(policy(rules).status()).isEqualTo(200);
    try (Connection database =
            DriverManager.getConnection(DATABASE.url(), DATABASE.user(), DATABASE.password());
        Statement statement = database.createStatement()) {
      int rows =
          statement.executeUpdate(
              "UPDATE attempt_efficiency SET idle_since = now() - interval '2 hours', warned_at ="
                  + " now() - interval '1 hour', warned_reclaim_ms = 360000 WHERE idle_since IS NOT"
                  + " NULL");
      assertThat(rows).isEqualTo(1);
      statement.execute("UPDATE attempt SET started_at = now() - interval '3 hours'");
    }

    await()
        .atMost(PATIENCE.multipliedBy(3))
        .until(() ->
            HTTP.get("/api/v1/jobs/" + job).json().path("state").asString("").equals("SUSPENDED"));
    assertThat(HTTP.get("/api/v1/jobs/" + job).body())
        .contains("\"Idle\"", "Reclaimed", "4.0", "GPU-hours. Resume it");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(HTTP.get("/api/v1/jobs/" + job + "/events").body())
                .contains("AttemptIdleReclaimed", "JobSuspended"));
    JsonNode efficiency = attempt(job).get("efficiency");
    assertThat(efficiency.get("idleGpuHours").asDouble()).isBetween(4.0, 4.5);
    assertThat(efficiency.get("returnedGpuHours").isNull()).isTrue();
    assertThat(HTTP.get(idle).json().at("/reclaimed/attempts").asInt()).isEqualTo(1);
    assertThat(policy("{\"mode\":\"OFF\"}").status()).isEqualTo(200);
  }

  /**
   * Fails when a policy is not stored unchanged, or when a policy that would reclaim immediately is
   * accepted.
   */
  @Test
  void projectConfiguresTheActionForIdleJobs() {
    String whole =
        "{\"mode\":\"RECLAIM\",\"utilisationBelow\":10,\"warnAfter\":\"30m\",\"reclaimAfter\":\"2h\",\"exempt\":{\"kind\":\"notebook\"}}";
    assertThat(policy(whole).status()).isEqualTo(200);
    assertThat(HTTP.get("/api/v1/projects/default").json().get("idlePolicy").toString())
        .isEqualTo(whole);
    assertThat(policy("{\"mode\":\"RECLAIM\",\"warnAfter\":\"2h\",\"reclaimAfter\":\"2h\"}").body())
        .contains("/idlePolicy/reclaimAfter", "longer than warnAfter");
    assertThat(policy("{\"mode\":\"WARN\"}").body()).contains("/idlePolicy/warnAfter");
    assertThat(
            policy("{\"mode\":\"WARN\",\"warnAfter\":\"30m\",\"exempt\":{\"kind\":\"\"}}").body())
        .contains("/idlePolicy/exempt/kind");
    assertThat(policy("{\"mode\":\"WARN\",\"warnAfter\":\"1m\",\"utilisationBelow\":0}").body())
        .contains("/idlePolicy/warnAfter", "/idlePolicy/utilisationBelow");
    assertThat(policy("{\"mode\":\"OFF\",\"warnAfter\":\"30m\"}").body())
        .contains("/idlePolicy/warnAfter");
    assertThat(policy("{\"mode\":\"OFF\"}").json().at("/idlePolicy/warnAfter").isNull()).isTrue();
  }

  /** Fails when an address is stored that Fairlead would not query. */
  @Test
  void disallowedAddressIsRejected() {
    String cluster =
        "{name: unmeasured, kind: SIMULATED, fleet: [{nodes: 1}], prometheus: {url: '%s'}}";

    assertThat(HTTP.yaml("/api/v1/clusters", cluster.formatted("http://127.0.0.1:9090")).body())
        .contains("/prometheus/url", "must be an https URL");
    assertThat(HTTP.yaml("/api/v1/clusters", cluster.formatted("https://10.0.0.1:9090")).body())
        .contains("/prometheus/url", "UNSAFE_ADDRESS", "private or reserved");
    assertThat(HTTP.get("/api/v1/clusters/unmeasured").status()).isEqualTo(404);
  }
}
