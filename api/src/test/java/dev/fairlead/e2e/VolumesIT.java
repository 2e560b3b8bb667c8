package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Volumes over HTTP, on a real database and simulated clusters. */
class VolumesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String VOLUMES = "/api/v1/projects/default/volumes";
  private static final String JOBS = "/api/v1/projects/default/jobs";
  private static RunningFairlead fairlead;
  private static Http http;

  @BeforeAll
  static void start() {
    fairlead = RunningFairlead.start();
    http = fairlead.http();
    for (String name : new String[] {"eu-1", "us-1"}) {
      String cluster =
          "{name: %s, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 4, model: A10}]}"
              .formatted(name);
      assertThat(http.yaml("/api/v1/clusters", cluster).status()).isEqualTo(201);
    }
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  private static Http.Answer put(String name, String body) {
    return http.send("PUT", VOLUMES + "/" + name, body, "Content-Type", Http.YAML);
  }

  private static JsonNode volume(String name) {
    return http.get(VOLUMES + "/" + name).json();
  }

  private static String runs(String name, String volume, String clusters) {
    Http.Answer answer =
        http.yaml(
            JOBS,
            """
            {name: %s, image: x, gpu: 1, volumes: [{volume: %s, mountPath: /data}], placement: {clusters: [%s]},
             annotations: {sim.fairlead.dev/run-for: 1s}}
            """
                .formatted(name, volume, clusters));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static void succeeds(String job) {
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().path("state").asString(""), "SUCCEEDED"::equals);
  }

  private static String clusterOf(String job) {
    return http.get(job + "/attempts").json().at("/items/0/cluster").asString();
  }

  @Test
  void volumeLifecycleFromClaimToEnd() {
    Http.Answer claimed = put("training", "{size: 500Gi, access: ReadWriteMany}");
    assertThat(claimed.status()).as(claimed.body()).isEqualTo(200);
    assertThat(volume("training").path("state").asString()).isEqualTo("CLAIMED");

    String first = runs("first", "training", "us-1");
    succeeds(first);
    assertThat(http.get(first).json().path("conditions").toString()).doesNotContain("StorageReady");

    JsonNode bound = volume("training");
    assertThat(bound.path("state").asString()).isEqualTo("BOUND");
    assertThat(bound.path("cluster").asString()).isEqualTo("us-1");
    assertThat(bound.path("claim").asString()).startsWith("training-");
    String next = runs("next", "training", "");
    assertThat(http.get(next).json().path("conditions").toString())
        .contains("StorageReady", "volume training", "us-1");
    succeeds(next);
    assertThat(clusterOf(next)).isEqualTo("us-1");

    Http.Answer cluster = http.get("/api/v1/clusters/us-1");
    String tag = cluster.header("ETag");
    assertThat(http.send("DELETE", "/api/v1/clusters/us-1", null, "If-Match", tag).body())
        .contains("Volumes of projects: training (BOUND)");
    assertThat(http.send("DELETE", VOLUMES + "/training", null).status()).isEqualTo(204);
    assertThat(volume("training").path("state").asString()).isEqualTo("RETAINED");
    assertThat(http.send("DELETE", VOLUMES + "/training", null).status()).isEqualTo(409);
    String seen = http.get(VOLUMES + "/training").header("ETag");
    assertThat(http.send("DELETE", VOLUMES + "/training", null, "If-Match", seen).status())
        .isEqualTo(204);
    assertThat(http.get(VOLUMES + "/training").status()).isEqualTo(404);
  }

  @Test
  void invalidVolumeIsRejectedWithTheField() {
    assertThat(put("a", "{size: 500}").body()).contains("/size", "100Gi");
    assertThat(put("a", "{size: 1500Mi}").body()).contains("/size", "100Gi");
    assertThat(put("a", "{size: 2Pi}").body()).contains("/size", "at most 1Pi");
    assertThat(put("a", "{}").body()).contains("/size");
    assertThat(put("a", "{size: 1Gi, access: ReadWriteOne}").body())
        .contains("/access", "ReadWriteOnce");
    assertThat(put("a", "{size: 1Gi, kind: fast}").body()).contains("/kind");
    assertThat(put("A_B", "{size: 1Gi}").body()).contains("DNS label");
    assertThat(put("a".repeat(41), "{size: 1Gi}").status()).isEqualTo(400);
    assertThat(http.get(VOLUMES + "/a").status()).isEqualTo(404);

    String both = "{name: j, image: x, volumes: [{volume: v, claim: c, mountPath: /data}]}";
    assertThat(http.yaml(JOBS, both).body()).contains("/volumes/0/claim", "CONFLICTING_FIELDS");
    String none = "{name: j, image: x, volumes: [{mountPath: /data}]}";
    assertThat(http.yaml(JOBS, none).body()).contains("/volumes/0/volume");
    String unknown = "{name: j, image: x, volumes: [{volume: nothing, mountPath: /data}]}";
    assertThat(http.yaml(JOBS, unknown).body())
        .contains("/volumes/0/volume", "fairlead volume create nothing -p default");
  }
}
