package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Jobs on a simulated cluster, from the view of a caller. */
class JobJourneyIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aCluster() {
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: journey-1, kind: SIMULATED, fleet: [{nodes: 2, gpusPerNode: 8, model: H100, blocks:"
            + " 1, racksPerBlock: 2}]}");
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get("/api/v1/clusters/journey-1").json().get("nodes").asInt() == 2);
  }

  private static String submit(String spec) {
    Http.Answer answer = HTTP.yaml("/api/v1/projects/default/jobs", spec);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static JsonNode awaitState(String job, String state) {
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get(job).json().path("state").asString("").equals(state));
    return HTTP.get(job).json();
  }

  @Test
  void gangRunsOnItsPlannedNodesAndIsReadBack() {
    String job =
        submit(
            """
            image: train
            workers: 2
            gpu: H100:8
            topology: block
            launcher: torchrun
            run: train.py
            placement: {clusters: [journey-1]}
            annotations: {sim.fairlead.dev/run-for: 500ms}
            """);

    JsonNode done = awaitState(job, "SUCCEEDED");
    assertThat(done.at("/placement/cluster").asString()).isEqualTo("journey-1");
    assertThat(done.at("/placement/nodes")).hasSize(2);
    assertThat(done.at("/gpus/requested").asInt()).isEqualTo(16);
    assertThat(done.at("/spec/run").asString()).isEqualTo("train.py");
    assertThat(done.at("/actions/0/allowed").asBoolean()).isFalse();
    JsonNode attempt = HTTP.get(job + "/attempts").json().at("/items/0");
    assertThat(attempt.get("cluster").asString()).isEqualTo("journey-1");
    assertThat(attempt.get("members")).hasSize(2);
    assertThat(attempt.at("/members/1/gpus")).hasSize(8);
    assertThat(attempt.at("/members/1/exitCode").asInt()).isZero();
    assertThat(HTTP.get(job + "/explanation").json().get("blockers")).isEmpty();
    assertDecisions(job, attempt);
  }

  private static void assertDecisions(String job, JsonNode attempt) {
    JsonNode decided = HTTP.get(job + "/decisions").json().get("items");
    assertThat(decided).hasSize(1);
    assertThat(decided.at("/0/kind").asString()).isEqualTo("PLACED");
    assertThat(decided.at("/0/placed/cluster").asString()).isEqualTo("journey-1");
    assertThat(decided.at("/0/placed/nodes").asInt()).isEqualTo(2);
    assertThat(decided.at("/0/until").asString()).isEqualTo(attempt.get("endedAt").asString());
    String at = decided.at("/0/at").asString();
    assertThat(HTTP.get(job + "/decisions?at=" + at).json().get("items")).hasSize(1);
    assertThat(HTTP.get(job + "/decisions?at=1999-01-01T00:00:00Z").json().get("items")).isEmpty();
    assertThat(HTTP.get(job + "/decisions?kind=EVICTED").json().get("items")).isEmpty();
    for (String bad : List.of("yesterday", "1969-12-31T23:59:59Z", "-1", "2030-02-30T00:00:00Z")) {
      assertThat(HTTP.get(job + "/decisions?at=" + bad).status()).as(bad).isEqualTo(400);
    }
    assertThat(HTTP.get(job + "/decisions?kind=placed").json().get("items")).hasSize(1);
    assertThat(HTTP.get(job + "/decisions?kind=place").status()).isEqualTo(400);
    assertThat(HTTP.get("/api/v1/jobs/job_01m7vxn2c4e0mtrw2g5kqy8v3d/decisions").status())
        .isEqualTo(404);
  }

  /** From the request to the partitioned GPU, and back to free quota at the end. */
  @Test
  void slicesOfAGpuRunConcurrently() {
    String spec =
        "{image: x, gpu: {mig: {profile: 3g.40gb, count: 2}}, placement: {clusters: [journey-1]},"
            + " annotations: {sim.fairlead.dev/run-for: 500ms}}";
    String job = submit(spec);

    awaitState(job, "SUCCEEDED");
    JsonNode gpu = HTTP.get(job + "/attempts").json().at("/items/0/members/0/gpus/0");
    assertThat(gpu.get("fraction").asInt()).isEqualTo(1);
    assertThat(gpu.get("slices")).hasSize(8);
  }

  @Test
  void runningJobShowsItsOutputAndCanBeCancelled() {
    String job =
        submit(
            "{image: x, gpu: 1, placement: {clusters: [journey-1]}, annotations:"
                + " {sim.fairlead.dev/run-for: 1h}}");
    JsonNode running = awaitState(job, "RUNNING");
    assertThat(HTTP.get(job + "/logs?tail=0").body()).isEmpty();
    Http.Answer logs = HTTP.get(job + "/logs?tail=1");

    assertThat(running.at("/gpus/allocated").asInt()).isEqualTo(1);
    assertThat(running.at("/gpus/model").asString()).isEqualTo("H100");
    assertThat(running.get("conditions"))
        .extracting(c -> c.get("status").asString())
        .containsOnly("True");
    assertThat(logs.status()).isEqualTo(200);
    assertThat(logs.header("Content-Type")).isEqualToIgnoringCase("text/plain;charset=utf-8");
    assertThat(HTTP.get(job + "/logs?member=worker-9").code()).isEqualTo("NOT_FOUND");
    assertThat(HTTP.json(job + "/cancel?validateOnly=true", "").json().path("state").asString(""))
        .isEqualTo("CANCELLING");
    assertThat(HTTP.get(job).json().path("state").asString("")).isEqualTo("RUNNING");
    assertThat(HTTP.json(job + "/cancel", "").status()).isEqualTo(200);
    awaitState(job, "CANCELLED");
    assertThat(HTTP.json(job + "/cancel", "").status()).isEqualTo(200);
  }

  @Test
  void arrayCountsItsElements() {
    String job =
        submit(
            "{image: x, array: 0-4%2, placement: {clusters: [journey-1]}, annotations:"
                + " {sim.fairlead.dev/run-for: 200ms}}");

    JsonNode done = awaitState(job, "SUCCEEDED");
    assertThat(done.at("/array/elements").asInt()).isEqualTo(5);
    assertThat(done.at("/array/succeeded").asInt()).isEqualTo(5);
    JsonNode elements = HTTP.get(job + "/elements?pageSize=3").json();
    assertThat(elements.get("items")).hasSize(3);
    assertThat(
            HTTP.get(
                    job
                        + "/elements?pageSize=3&pageToken="
                        + elements.get("nextPageToken").asString())
                .json()
                .get("items"))
        .hasSize(2);
  }

  @Test
  void infeasibleJobIsAcceptedWithAWarningAndItsReason() {
    Http.Answer answer =
        HTTP.yaml("/api/v1/projects/default/jobs", "{image: x, gpu: 'B200:8', workers: 3}");
    String job = "/api/v1/jobs/" + answer.json().get("id").asString();

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json().get("warnings")).isNotEmpty();
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get(job).json().at("/pending/class").asString("").equals("USER_ACTION"));
    JsonNode why = HTTP.get(job + "/explanation").json();
    assertThat(why.get("reason").asString()).isEqualTo("NEVER_FITS");
    assertThat(why.get("blockers")).isNotEmpty();
    assertThat(why.at("/position/rank").asInt()).isPositive();
    HTTP.json(job + "/cancel", "");
  }

  /** Fails when the head of a strict queue that its limits never admit blocks the queue. */
  @Test
  void jobBeyondTheQueueLimitIsExplainedAndStartsOnceTheLimitIsRaised() {
    String limits = "limits: [{flavor: H100/RESERVED, resource: gpu, nominal: %d}]";
    HTTP.yaml(
        "/api/v1/quotas",
        "{name: narrow, queue: {order: STRICT_FIFO}, " + limits.formatted(8) + "}");
    String small =
        "{image: x, gpu: 'H100:8', queue: narrow, placement: {clusters: [journey-1]},"
            + " annotations: {sim.fairlead.dev/run-for: 500ms}}";
    String large = submit(small.replace("image: x", "image: x, workers: 2"));
    String behind = submit(small);

    awaitState(behind, "SUCCEEDED");
    JsonNode first = HTTP.get(large + "/explanation").json().at("/blockers/0");
    assertThat(first.get("reason").asString()).isEqualTo("NEVER_FITS");
    assertThat(first.get("message").asString())
        .satisfies(reason("job-journey.needs-gpu-queue-narrow", 16, "H100/RESERVED", "narrow", 8));
    String tag = HTTP.get("/api/v1/quotas/narrow").header("ETag");
    HTTP.send(
        "PATCH",
        "/api/v1/quotas/narrow",
        "{\"limits\":[{\"flavor\":\"H100/RESERVED\",\"resource\":\"gpu\",\"nominal\":16}]}",
        "Content-Type",
        "application/merge-patch+json",
        "If-Match",
        tag);
    awaitState(large, "SUCCEEDED");
  }

  @Test
  void theFleetIsShownByNodeAndByCapacity() {
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get("/api/v1/capacity").body().contains("\"cluster\":\"journey-1\""));
    JsonNode first = HTTP.get("/api/v1/nodes?cluster=journey-1&pageSize=1").json();
    JsonNode second =
        HTTP.get(
                "/api/v1/nodes?cluster=journey-1&pageSize=1&pageToken="
                    + first.get("nextPageToken").asString())
            .json();

    assertThat(first.at("/items/0/gpus")).hasSize(8);
    assertThat(second.at("/items/0/name")).isNotEqualTo(first.at("/items/0/name"));
    assertThat(second.get("nextPageToken").isNull()).isTrue();
  }
}
