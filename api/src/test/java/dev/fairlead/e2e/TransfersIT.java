package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Transfers of volumes over HTTP, on a real database and simulated clusters. */
class TransfersIT {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String PROJECT = "/api/v1/projects/default/";
  private static final String TRANSFERS = PROJECT + "volumes/training/transfers";
  private static final String KEY = "open-sesame";
  private static RunningFairlead fairlead;
  private static Http http;

  @BeforeAll
  static void aVolumeWithData(@TempDir Path keys) {
    fairlead =
        RunningFairlead.start(
            "--fairlead.key-file=" + keys.resolve("key"), "--fairlead.transfers.bucket=acme");
    http = fairlead.http();
    for (String name : new String[] {"eu-1", "us-1"}) {
      String cluster =
          "{name: %s, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 4, model: A10}]}"
              .formatted(name);
      assertThat(http.yaml("/api/v1/clusters", cluster).status()).isEqualTo(201);
    }
    put("volumes/training", "{size: 1Gi, access: ReadWriteMany}");
    put("volumes/images", "{size: 1Gi}");
    String first =
        "{name: first, image: x, gpu: 1, volumes: [{volume: training, mountPath: /data}],"
            + " placement: {clusters: [us-1]}, annotations: {sim.fairlead.dev/run-for: 1s}}";
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> http.yaml(PROJECT + "jobs", first).status() == 201);
    await()
        .atMost(PATIENCE)
        .until(() -> text(PROJECT + "volumes/training", "state"), "BOUND"::equals);
  }

  @AfterAll
  static void stop() {
    fairlead.close();
  }

  private static void put(String path, String body) {
    Http.Answer answer = http.send("PUT", PROJECT + path, body, "Content-Type", Http.YAML);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private static String text(String path, String field) {
    return http.get(path).json().path(field).asString("");
  }

  private static JsonNode newest() {
    return http.get(TRANSFERS).json().at("/items/0");
  }

  /** Fails when a key of the bucket can be read in a job, or a dropped transfer continues. */
  @Test
  void transferRunsAsAJobUntilItIsDropped() {
    String copy = "{to: training-eu, cluster: eu-1}";
    assertThat(http.yaml(TRANSFERS, copy).body()).contains("needs the secret", "object-store");
    put(
        "secrets/object-store",
        "{data: {AWS_ACCESS_KEY_ID: a, AWS_SECRET_ACCESS_KEY: " + KEY + "}}");

    Http.Answer begun = http.yaml(TRANSFERS, copy);
    assertThat(begun.status()).as(begun.body()).isEqualTo(201);
    assertThat(begun.json().path("phase").asString()).isEqualTo("UPLOADING");
    assertThat(http.yaml(TRANSFERS, copy).status()).isEqualTo(409);
    await().atMost(PATIENCE).until(() -> !newest().path("job").asString("").isEmpty());
    String job = "/api/v1/jobs/" + newest().path("job").asString();
    Http.Answer shown = http.get(job);
    assertThat(shown.json().path("user").asString()).isEqualTo("transfers");
    assertThat(shown.body()).contains("AWS_SECRET_ACCESS_KEY").doesNotContain(KEY);
    assertThat(text(PROJECT + "volumes/training-eu", "state")).isEqualTo("CLAIMED");

    String one = TRANSFERS + "/" + newest().path("id").asString();
    assertThat(http.send("POST", one + "/cut-over", null).body()).contains("only a READY copy");
    assertThat(http.send("DELETE", one, null).json().path("phase").asString())
        .isEqualTo("DROPPING");
    await().atMost(PATIENCE).until(() -> text(job, "state"), "CANCELLED"::equals);
    assertThat(http.send("DELETE", one, null).status()).isEqualTo(409);
    assertThat(http.get(PROJECT + "volumes/images/transfers").json().at("/items").isEmpty())
        .isTrue();
    String other = PROJECT + "volumes/images/transfers/" + newest().path("id").asString();
    assertThat(http.send("DELETE", other, null).status()).isEqualTo(404);
  }

  /** Fails when a volume with a claim is not counted, or a volume without a claim is. */
  @Test
  void volumeCountsWhileItHasItsClaim() {
    JsonNode report = http.get("/api/v1/reports/volume-hours?from=1h").json();

    assertThat(report.at("/lines")).hasSize(1);
    assertThat(report.at("/lines/0/volume").asString()).isEqualTo("training");
    assertThat(report.at("/lines/0/cluster").asString()).isEqualTo("us-1");
    assertThat(report.at("/lines/0/sizeGib").asInt()).isEqualTo(1);
    assertThat(report.at("/gibHours").asDouble()).isPositive();
  }

  @Test
  void invalidTransferIsRejectedWithTheField() {
    assertThat(http.yaml(TRANSFERS, "{}").body()).contains("/to", "/cluster");
    assertThat(http.yaml(TRANSFERS, "{to: A, cluster: eu-1}").body()).contains("/to");
    assertThat(http.yaml(TRANSFERS, "{to: copy, cluster: us-1}").body())
        .contains("/cluster", "is on us-1 already");
    assertThat(http.yaml(TRANSFERS, "{to: copy, cluster: none}").body())
        .contains("/cluster", "There is no cluster");
    assertThat(http.yaml(TRANSFERS, "{from: 'https://acme/images'}").body())
        .contains("/from", "s3://acme/images");
    assertThat(http.yaml(TRANSFERS, "{from: 's3://acme/images', to: copy}").body()).contains("/to");
    assertThat(http.yaml(TRANSFERS, "{from: 's3://acme/images'}").body())
        .contains("need a CLAIMED volume");
  }
}
