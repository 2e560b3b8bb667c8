package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Suspend, resume, requeue, patch, delete, summary and bulk cancel over REST. */
class JobControlIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Http HTTP = RunningFairlead.shared().http();

  @BeforeAll
  static void aClusterAndAProject() {
    HTTP.json("/api/v1/projects", "{\"name\":\"control\"}");
    HTTP.yaml(
        "/api/v1/clusters",
        "{name: control-1, kind: SIMULATED, fleet: [{nodes: 2, gpusPerNode: 8, model: H100, blocks:"
            + " 1, racksPerBlock: 1}]}");
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
        .until(() -> HTTP.get(job).json().path("state").asString("").equals(state));
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

    assertThat(post(job + "/suspend").json().path("state").asString("")).isEqualTo("SUSPENDED");
    JsonNode why = HTTP.get(job + "/explanation").json();
    assertThat(why.get("reason").asString()).isEqualTo("HELD");
    assertThat(why.at("/blockers/0/action").asString()).contains("fairlead resume job_");
    assertThat(post(job + "/suspend").code()).isEqualTo("ILLEGAL_STATE");
    assertThat(post(job + "/resume").json().path("state").asString("")).isEqualTo("QUEUED");
    awaitState(job, "RUNNING");
    assertThat(post(job + "/requeue").json().path("state").asString("")).isEqualTo("QUEUED");
    awaitState(job, "RUNNING");
    JsonNode now = HTTP.get(job).json();
    assertThat(now.get("attempt").asInt()).isEqualTo(3);
    assertThat(now.get("actions"))
        .filteredOn(a -> a.get("allowed").asBoolean())
        .extracting(a -> a.get("name").asString())
        .containsExactly("cancel", "suspend", "requeue", "checkpoint", "patch");
    post(job + "/cancel");
    awaitState(job, "CANCELLED");
  }

  @Test
  void runningElementsAreRequeuedAndMembersBelongToTheNewestAttempt() {
    String job =
        submit(
            "tried-anew",
            "gpu: 1, array: 0-1, preemption: {gracePeriod: 1s}, annotations:"
                + " {sim.fairlead.dev/run-for: 1h}");
    awaitState(job, "RUNNING");
    await().atMost(PATIENCE).until(() -> running(job) == 2);
    String first = pod(job, 1);

    assertThat(post(job + "/requeue").json().path("state").asString("")).isEqualTo("RUNNING");

    await().atMost(PATIENCE).until(() -> !pod(job, 1).equals(first) && running(job) == 2);
    assertThat(HTTP.get(job + "/attempts").json().get("items")).hasSize(4);
    assertThat(HTTP.get(job + "/members?element=1&attempt=1").json().at("/items/0/pod").asString())
        .isEqualTo(first);
    assertThat(HTTP.get(job + "/members?attempt=0").code()).isEqualTo("INVALID_PARAMETER");
    post(job + "/cancel");
    awaitState(job, "CANCELLED");
  }

  private static int running(String job) {
    return HTTP.get(job).json().at("/array/running").asInt();
  }

  private static String pod(String job, int element) {
    return HTTP.get(job + "/members?element=" + element).json().at("/items/0/pod").asString();
  }

  @Test
  void endedJobIsDeletedUnlessAnotherDependsOnIt() {
    String job = submit("to-delete", "gpu: H200:1");
    String id = job.substring(job.lastIndexOf('/') + 1);
    assertThat(HTTP.send("DELETE", job, null).code()).isEqualTo("ILLEGAL_STATE");
    post(job + "/cancel");
    String other =
        submit("dependent", "gpu: H200:1, dependsOn: [{job: %s, condition: ENDED}]".formatted(id));
    assertThat(HTTP.send("DELETE", job, null).code()).isEqualTo("IN_USE");
    post(other + "/cancel");

    assertThat(HTTP.send("DELETE", job + "?validateOnly=true", null).status()).isEqualTo(204);
    assertThat(HTTP.get(job).json().get("actions"))
        .filteredOn(a -> a.get("allowed").asBoolean())
        .extracting(a -> a.get("name").asString())
        .containsExactly("delete");
    assertThat(HTTP.send("DELETE", job, null).status()).isEqualTo(204);
    assertThat(HTTP.get(job).code()).isEqualTo("NOT_FOUND");
    // Fails when a filter by an unknown event type waits forever without an error.
    assertThat(HTTP.get("/api/v1/events?type=JobFaild").body())
        .contains("INVALID_PARAMETER", "type must be one of", "JobFailed");
    assertThat(HTTP.get("/api/v1/events/stream?type=JobFaild").status()).isEqualTo(400);
    // an event is not listed while an older transaction runs
    String deleted = "/api/v1/events?type=JobDeleted&since=1h&job=" + id;
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(HTTP.get(deleted).json().get("items")).hasSize(1));
  }

  @Test
  void projectIsUpdatedAndDeletedOnceItHasNoJobs() {
    HTTP.json("/api/v1/projects", "{\"name\":\"short-lived\"}");
    String project = "/api/v1/projects/short-lived";
    Http.Answer changed = patch(project, "{\"defaultQueue\":\"default\"}", "\"1\"");
    assertThat(changed.status()).as(changed.body()).isEqualTo(200);
    assertThat(patch(project, "{\"defaultQueue\":\"default\"}", "\"1\"").code())
        .isEqualTo("VERSION_MISMATCH");
    assertThat(patch(project, "{\"defaultQueue\":\"nowhere\"}", "\"2\"").code())
        .isEqualTo("INVALID_FIELD");
    assertThat(HTTP.get(project).json().at("/egress/mode").asString()).isEqualTo("OPEN");
    Http.Answer strict =
        patch(project, "{\"egress\":{\"mode\":\"STRICT\",\"cidrs\":[\"10.0.0.0/8\"]}}", "\"2\"");
    assertThat(strict.status()).as(strict.body()).isEqualTo(200);
    assertThat(HTTP.get(project).json().at("/egress/cidrs/0").asString()).isEqualTo("10.0.0.0/8");
    Http.Answer refused =
        patch(project, "{\"egress\":{\"mode\":\"STRICT\",\"cidrs\":[\"10.0.0.1/8\"]}}", "\"3\"");
    assertThat(refused.body()).contains("/egress/cidrs", "host bits");
    assertThat(
            patch(project, "{\"egress\":{\"mode\":\"OPEN\",\"cidrs\":[\"::/0\"]}}", "\"3\"").body())
        .contains("apply to mode STRICT only");
    Http.Answer made = HTTP.yaml(project + "/jobs", "{image: x, gpu: H200:1}");
    String job = "/api/v1/jobs/" + made.json().get("id").asString();
    post(job + "/cancel");
    assertThat(HTTP.send("DELETE", project, null).code()).isEqualTo("IN_USE");
    HTTP.send("DELETE", job, null);
    assertThat(HTTP.send("DELETE", project, null).status()).isEqualTo(204);
    assertThat(HTTP.get(project).code()).isEqualTo("NOT_FOUND");
  }

  @Test
  void patchUpdatesMutableFieldsWithIfMatch() {
    String job = submit("patched", "gpu: H200:1, labels: {team: nlp}, maxRuntime: 1h");
    String tag = HTTP.get(job).header("ETag");
    String patch =
        "{\"priorityClass\":\"high\",\"labels\":{\"team\":null,\"tier\":\"1\"},\"maxRuntime\":null}";

    Http.Answer changed = patch(job, patch, tag);
    assertThat(changed.status()).as(changed.body()).isEqualTo(200);
    JsonNode stored = HTTP.get(job).json();
    assertThat(stored.get("priority").asInt()).isEqualTo(1000);
    // preemptibility is fixed at submit, so non-preemptible use is counted as it was charged
    assertThat(stored.at("/spec/preemption/allowed").asBoolean()).isTrue();
    assertThat(stored.get("labels")).hasSize(1);
    assertThat(stored.get("spec").has("maxRuntime")).isFalse();
    Http.Answer later =
        patch(job, "{\"deadline\":\"2126-01-01T00:00:00Z\"}", changed.header("ETag"));
    assertThat(later.json().get("spec").get("deadline").asString())
        .isEqualTo("2126-01-01T00:00:00Z");
    changed = later;
    assertThat(HTTP.get("/api/v1/jobs?project=control&label=tier%3D1").json().get("items"))
        .hasSize(1);
    assertThat(patch(job, patch, tag).status()).isEqualTo(412);
    assertThat(patch(job, "{\"image\":\"y\"}", changed.header("ETag")).code())
        .isEqualTo("UNKNOWN_FIELD");
    assertThat(patch(job, "{\"workers\":0}", changed.header("ETag")).status()).isEqualTo(422);
  }

  @Test
  void workersOfAWaitingJobFollowTheirOwner() {
    String job = submit("sized", "gpu: H200:1");
    Http.Answer more = patch(job, "{\"workers\":4}", HTTP.get(job).header("ETag"));
    assertThat(more.status()).as(more.body()).isEqualTo(200);
    assertThat(more.json().at("/spec/workers").asInt()).isEqualTo(4);
    assertThat(more.json().at("/spec/minWorkers").asInt()).isEqualTo(4);

    String elastic = submit("elastic", "gpu: H200:1, workers: 4, minWorkers: 2");
    Http.Answer fewer = patch(elastic, "{\"workers\":3}", HTTP.get(elastic).header("ETag"));
    assertThat(fewer.json().at("/spec/workers").asInt()).isEqualTo(3);
    assertThat(fewer.json().at("/spec/minWorkers").asInt()).isEqualTo(2);
    Http.Answer few = patch(elastic, "{\"workers\":1}", fewer.header("ETag"));
    assertThat(few.status()).isEqualTo(422);
    assertThat(few.body()).contains("minWorkers, which is 2");
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
