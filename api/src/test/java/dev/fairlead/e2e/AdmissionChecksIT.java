package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Admission checks over REST, on PostgreSQL. */
class AdmissionChecksIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aQueueWithACheck() {
    HTTP.json("/api/v1/projects", "{\"name\":\"checks\"}");
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: checks-1, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100, blocks:"
            + " 1, racksPerBlock: 1}]}");
    Http.Answer queue =
        HTTP.yaml(
            "/api/v1/quotas", "{name: checks, parent: root, queue: {checks: [review, budget]}}");
    assertThat(queue.status()).as(queue.body()).isEqualTo(201);
    assertThat(queue.json().at("/queue/checks").toString()).isEqualTo("[\"budget\",\"review\"]");
  }

  private static String submit(String name) {
    Http.Answer answer =
        HTTP.yaml(
            "/api/v1/projects/checks/jobs",
            ("{name: %s, image: x, gpu: 1, queue: checks, placement: {clusters: [checks-1]},"
                    + " annotations: {sim.fairlead.dev/run-for: 1s}}")
                .formatted(name));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static long request(String job) {
    await().atMost(PATIENCE).until(() -> HTTP.get(job).json().path("checks").size() == 2);
    return HTTP.get(job).json().at("/checks/0/request").asLong();
  }

  private static Http.Answer report(String job, String check, String body) {
    return HTTP.send("PUT", job + "/checks/" + check, body, "Content-Type", Http.YAML);
  }

  private static void awaitState(String job, String state) {
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get(job).json().path("state").asString("").equals(state));
  }

  /** Fails when one check suffices, or the explanation does not name the missing check. */
  @Test
  void aJobStartsAfterEachCheckIsReady() {
    String job = submit("permitted");
    long request = request(job);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(HTTP.get(job + "/explanation").json().toString())
                .contains("ADMISSION_CHECK", "'budget' is pending"));

    Http.Answer first =
        report(job, "budget", "{state: READY, request: %d, message: fine}".formatted(request));
    assertThat(first.status()).as(first.body()).isEqualTo(200);
    JsonNode check = first.json().at("/checks/0");
    assertThat(check.path("state").asString()).isEqualTo("READY");
    assertThat(check.path("message").asString()).isEqualTo("fine");
    assertThat(HTTP.get(job).json().path("state").asString()).isEqualTo("QUEUED");

    Http.Answer second = report(job, "review", "{state: READY, request: %d}".formatted(request));
    assertThat(second.status()).as(second.body()).isEqualTo(200);
    awaitState(job, "SUCCEEDED");
    assertThat(HTTP.get(job + "/events").json().toString())
        .contains("JobCheckRequested", "JobCheckReported");
  }

  @Test
  void aRejectedJobFailsWithItsCause() {
    String job = submit("rejected");
    long request = request(job);

    Http.Answer done =
        report(job, "review", "{state: REJECTED, request: %d, message: denied}".formatted(request));

    assertThat(done.json().path("state").asString()).isEqualTo("FAILED");
    assertThat(done.json().at("/failure/cause").asString()).isEqualTo("CHECK_REJECTED");
  }

  /** Fails when a report for a spec that was changed since counts. */
  @Test
  void staleRequestIsRejectedAfterAPatch() {
    String job = submit("patched");
    long old = request(job);
    HTTP.send("PATCH", job, "{maxRuntime: 2h}", "Content-Type", Http.YAML);
    await().atMost(PATIENCE).until(() -> request(job) > old);

    Http.Answer late = report(job, "budget", "{state: READY, request: %d}".formatted(old));

    assertThat(late.status()).isEqualTo(409);
    assertThat(late.code()).isEqualTo("ILLEGAL_STATE");
    assertThat(late.body()).contains("The current request is " + request(job));
  }

  @Test
  void invalidReportNamesItsField() {
    String job = submit("wrong");
    long request = request(job);

    assertThat(report(job, "budget", "{state: MAYBE, request: 1}").body()).contains("/state");
    assertThat(report(job, "budget", "{request: 1}").body()).contains("/state");
    assertThat(report(job, "budget", "{state: READY, request: 1, more: 1}").body())
        .contains("/more");
    assertThat(
            report(job, "budget", "{state: RETRY, request: %d, retryAfter: 48h}".formatted(request))
                .body())
        .contains("/retryAfter");
    assertThat(report(job, "other", "{state: READY, request: %d}".formatted(request)).status())
        .isEqualTo(409);
  }
}
