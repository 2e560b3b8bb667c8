package dev.fairlead.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Suspend, resume, requeue, patch, summary and bulk cancel over REST. */
class JobControlIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aClusterAndAProject() {
    HTTP.json("/api/v1/projects", "{\"name\":\"control\"}");
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: control-1, kind: SIMULATED, fleet: [{nodes: 2, gpusPerNode: 8, model: H100, blocks: 1, racksPerBlock: 1}]}");
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get("/api/v1/clusters/control-1").json().get("nodes").asInt() == 2);
  }

  private static String submit(String name, String more) {
    Http.Answer answer =
        HTTP.yaml(
            "/api/v1/projects/control/jobs",
            "{name: %s, image: x, placement: {clusters: [control-1]}, %s}".formatted(name, more));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static void awaitState(String job, String state) {
    await()
        .atMost(PATIENCE)
        .until(() -> HTTP.get(job).json().get("state").asString().equals(state));
  }

  private static Http.Answer post(String path) {
    return HTTP.send("POST", path, null);
  }

  @Test
  void aRunningJobIsSuspendedResumedAndRequeued() {
    String job =
        submit(
            "held",
            "gpu: 1, preemption: {gracePeriod: 1s}, annotations: {sim.fairlead.dev/run-for: 1h}");
    awaitState(job, "RUNNING");

    assertThat(post(job + "/suspend").json().get("state").asString()).isEqualTo("SUSPENDED");
    assertThat(HTTP.get(job + "/explanation").json().get("reason").asString()).isEqualTo("HELD");
    assertThat(post(job + "/suspend").code()).isEqualTo("ILLEGAL_STATE");
    assertThat(post(job + "/resume").json().get("state").asString()).isEqualTo("QUEUED");
    awaitState(job, "RUNNING");
    assertThat(post(job + "/requeue").json().get("state").asString()).isEqualTo("QUEUED");
    awaitState(job, "RUNNING");
    JsonNode now = HTTP.get(job).json();
    assertThat(now.get("attempt").asInt()).isEqualTo(3);
    assertThat(now.get("actions"))
        .filteredOn(a -> a.get("allowed").asBoolean())
        .extracting(a -> a.get("name").asString())
        .containsExactly("cancel", "suspend", "requeue", "patch");
    post(job + "/cancel");
    awaitState(job, "CANCELLED");
  }

  @Test
  void aPatchChangesWhatMayChangeBehindIfMatch() {
    String job = submit("patched", "gpu: H200:1, labels: {team: nlp}, maxRuntime: 1h");
    String tag = HTTP.get(job).header("ETag");
    String patch =
        "{\"priorityClass\":\"high\",\"labels\":{\"team\":null,\"tier\":\"1\"},\"maxRuntime\":null}";

    Http.Answer changed = patch(job, patch, tag);
    assertThat(changed.status()).as(changed.body()).isEqualTo(200);
    JsonNode stored = HTTP.get(job).json();
    assertThat(stored.get("priority").asInt()).isEqualTo(1000);
    assertThat(stored.get("labels")).hasSize(1);
    assertThat(stored.get("spec").has("maxRuntime")).isFalse();
    assertThat(HTTP.get("/api/v1/jobs?project=control&label=tier%3D1").json().get("items"))
        .hasSize(1);
    assertThat(patch(job, patch, tag).status()).isEqualTo(412);
    assertThat(patch(job, "{\"image\":\"y\"}", changed.header("ETag")).code())
        .isEqualTo("UNKNOWN_FIELD");
    assertThat(patch(job, "{\"workers\":2}", changed.header("ETag")).status()).isEqualTo(422);
  }

  private static Http.Answer patch(String job, String body, String tag) {
    return HTTP.send(
        "PATCH", job, body, "Content-Type", "application/merge-patch+json", "If-Match", tag);
  }

  @Test
  void jobsAreCountedSortedAndCancelledTogether() {
    for (String name : List.of("bulk-b", "bulk-c", "bulk-a")) {
      submit(name, "gpu: H200:2, labels: {bulk: yes-" + "1}");
    }
    JsonNode counts =
        HTTP.get("/api/v1/jobs/summary?groupBy=state&groupBy=project&label=bulk%3Dyes-1")
            .json()
            .get("items");
    assertThat(counts).hasSize(1);
    assertThat(counts.at("/0/group/project").asString()).isEqualTo("control");
    assertThat(counts.at("/0/jobs").asInt()).isEqualTo(3);
    assertThat(counts.at("/0/gpus").asInt()).isEqualTo(6);
    assertThat(HTTP.get("/api/v1/jobs?label=bulk%3Dyes-1&orderBy=name").json().get("items"))
        .extracting(j -> j.get("name").asString())
        .containsExactly("bulk-a", "bulk-b", "bulk-c");
    assertThat(HTTP.get("/api/v1/jobs?orderBy=image").code()).isEqualTo("INVALID_PARAMETER");

    String filter = "{\"filter\":{\"labels\":{\"bulk\":\"yes-1\"}},\"expectedCount\":%d}";
    Http.Answer moved = HTTP.json("/api/v1/jobs/bulk-cancel", filter.formatted(2));
    assertThat(moved.code()).isEqualTo("COUNT_MISMATCH");
    assertThat(moved.json().at("/metadata/actual").asInt()).isEqualTo(3);
    assertThat(
            HTTP.json("/api/v1/jobs/bulk-cancel", filter.formatted(3))
                .json()
                .get("cancelled")
                .asInt())
        .isEqualTo(3);
  }
}
