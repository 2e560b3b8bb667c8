package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.identity.IdKind;
import dev.fairlead.kernel.identity.IdText;
import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.people.tenant.TenantId;
import dev.fairlead.work.attempt.AttemptCredential;
import dev.fairlead.work.attempt.AttemptId;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Reports of an attempt about itself over REST, with its credential. */
class AttemptAnswerIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Fails when a credential gives any other access, or reveals whether another attempt exists. */
  @Test
  void attemptCredentialReportsForItsAttemptOnly(@TempDir Path keys) {
    try (RunningFairlead fairlead =
        RunningFairlead.start("--fairlead.key-file=" + keys.resolve("key"))) {
      Http http = fairlead.http();
      http.yaml(
          "/api/v1/clusters",
          "{name: one, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100, blocks: 1,"
              + " racksPerBlock: 1}]}");
      String spec =
          "{name: saves, image: x, gpu: 1, outputs: [model], progress: {timeout: 5m}, preemption: {checkpointTimeout:"
              + " 5m, gracePeriod: 1s}, annotations: {sim.fairlead.dev/run-for: 1h}}";
      String job =
          "/api/v1/jobs/" + text(http.yaml("/api/v1/projects/default/jobs", spec).json(), "id");
      await().atMost(PATIENCE).until(() -> text(http.get(job).json(), "state").equals("RUNNING"));
      String attempt = text(http.get(job + "/attempts").json().at("/items/0"), "id");
      AttemptCredential own = credential(http, job, attempt);
      String token = fairlead.credential(own);
      String path = path(attempt);

      assertThat(http.send("POST", path, null).status()).as("an administrator").isEqualTo(403);
      assertThat(post(http, path, token + "x", null).status()).isEqualTo(401);
      assertThat(http.get(job, "Authorization", "Bearer " + token).status()).isEqualTo(401);
      AttemptId none = new AttemptId(new UUID(1, 1));
      Http.Answer another = post(http, path, fairlead.credential(with(own, none)), null);
      assertThat(another.status()).isEqualTo(404);
      assertThat(another.json().get("detail"))
          .isEqualTo(post(http, path(none.text()), token, null).json().get("detail"));
      assertThat(http.get(job + "/attempts").json().at("/items/0").hasNonNull("checkpointedAt"))
          .isFalse();

      assertThat(text(post(http, path, token, null).json(), "checkpointedAt")).isNotEmpty();
      assertThat(post(http, path, token, "{\"extend\": \"10m\"}").code())
          .as("it was not asked")
          .isEqualTo("ILLEGAL_STATE");
      Http.Answer both = post(http, path, token, "{\"extend\": \"10m\", \"position\": \"x\"}");
      assertThat(both.body()).contains("/position");

      String getsOn = path.replace("/checkpoint", "/progress");
      assertThat(http.send("POST", getsOn, null).status()).as("an administrator").isEqualTo(403);
      assertThat(post(http, getsOn, fairlead.credential(with(own, none)), null).status())
          .isEqualTo(404);
      assertThat(post(http, getsOn, token, "{\"step\": -7}").body()).contains("/step");
      Http.Answer called = post(http, getsOn, token, null);
      assertThat(called.status()).isEqualTo(200);
      assertThat(called.json().hasNonNull("until"))
          .as("its cluster has no address for calls")
          .isFalse();

      String outputs = path.replace("/checkpoint", "/outputs");
      assertThat(
              http.send("POST", outputs, "{\"model\": \"x\"}", "Content-Type", "application/json")
                  .status())
          .as("an administrator")
          .isEqualTo(403);
      assertThat(post(http, outputs, fairlead.credential(with(own, none)), "{}").status())
          .isEqualTo(404);
      assertThat(post(http, outputs, token, "{\"modle\": \"x\"}").body()).contains("/modle");
      assertThat(post(http, outputs, token, "{\"model\": 7}").body()).contains("/model");
      assertThat(post(http, outputs, token, "{\"model\": \"s3://b/x\"}").status()).isEqualTo(200);
      assertThat(text(http.get(job).json().get("outputs"), "model")).isEqualTo("s3://b/x");
      assertThat(http.get("/api/v1/projects/default/jobs").body()).doesNotContain("s3://b/x");

      http.send("POST", job + "/requeue", null);
      JsonNode longer = post(http, path, token, "{\"extend\": \"30m\"}").json();
      assertThat(Instant.parse(text(longer, "until")))
          .isAfter(Instant.parse(text(longer, "checkpointedAt")).plus(Duration.ofMinutes(20)));
      post(http, path, token, "{\"position\": \"step 7\"}");
      await().atMost(PATIENCE).until(() -> post(http, path, token, null).status() == 404);
      String events = "/api/v1/events?job=" + job.substring(job.lastIndexOf('/') + 1);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() ->
              assertThat(http.get(events).body()).contains("step 7", "AttemptCheckpointExtended"));
    }
  }

  private static Http.Answer post(Http http, String path, String token, @Nullable String body) {
    return http.send(
        "POST", path, body, "Authorization", "Bearer " + token, "Content-Type", "application/json");
  }

  private static String path(String attempt) {
    return "/api/v1/attempts/" + attempt + "/checkpoint";
  }

  private static AttemptCredential credential(Http http, String job, String attempt) {
    String tenant = text(http.get("/api/v1/tenants").json().at("/items/0"), "id");
    return new AttemptCredential(
        new TenantId(IdText.decode(IdKind.TENANT, tenant).orElseThrow()),
        new JobId(IdText.decode(IdKind.JOB, job.substring(job.lastIndexOf('/') + 1)).orElseThrow()),
        new AttemptId(IdText.decode(IdKind.ATTEMPT, attempt).orElseThrow()));
  }

  private static AttemptCredential with(AttemptCredential own, AttemptId other) {
    return new AttemptCredential(own.tenant(), own.job(), other);
  }

  private static String text(JsonNode of, String field) {
    return of.get(field).asString();
  }
}
