package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.work.workload.slurm.RealSlurm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Jobs on a real Slurm cluster, as a caller sees them. */
class SlurmIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static RealSlurm slurm;
  private static RunningFairlead fairlead;
  private static Http http;

  @BeforeAll
  static void aCluster(@TempDir Path keys) {
    slurm = RealSlurm.start(2);
    fairlead = RunningFairlead.start("--fairlead.key-file=" + keys.resolve("key"));
    http = fairlead.http();
    String body =
        "{\"name\": \"hall\", \"kind\": \"SLURM\", \"connection\": {\"server\": \"%s\","
            + " \"caData\": \"%s\", \"token\": \"%s\"}}";
    Http.Answer added =
        http.json(
            "/api/v1/clusters",
            body.formatted(
                slurm.url(), slurm.connection().caData(), slurm.connection().token().reveal()));
    assertThat(added.status()).as(added.body()).isEqualTo(201);
    await()
        .atMost(PATIENCE)
        .until(() -> http.get("/api/v1/clusters/hall").json().get("nodes").asInt() == 2);
  }

  @AfterAll
  static void theEnd() {
    if (fairlead != null) {
      fairlead.close();
    }
    slurm.close();
  }

  private static String submit(String run, String more) {
    String env =
        slurm.environment().entrySet().stream()
            .map(one -> one.getKey() + ": \"" + one.getValue() + "\"")
            .collect(Collectors.joining(", ", "{", "}"));
    Http.Answer answer =
        http.yaml(
            "/api/v1/projects/default/jobs",
            "{image: none, memory: 100Mi, cpu: 1, run: '%s', env: %s%s}".formatted(run, env, more));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static JsonNode awaitState(String job, String state) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(http.get(job).json().path("state").asString(""))
                .as(http.get(job).body())
                .isEqualTo(state));
    return http.get(job).json();
  }

  private static int usedGpus() {
    return http.get("/api/v1/nodes?cluster=hall")
        .json()
        .get("items")
        .valueStream()
        .mapToInt(node -> node.at("/allocated/gpu").asInt())
        .sum();
  }

  @Test
  void gangRunsOnBothNodesAndReleasesItsGpus() {
    String job = submit("sleep 5", ", workers: 2, gpu: 2");
    awaitState(job, "RUNNING");
    assertThat(usedGpus()).isEqualTo(4);

    JsonNode done = awaitState(job, "SUCCEEDED");

    assertThat(done.at("/placement/cluster").asString()).isEqualTo("hall");
    assertThat(done.at("/placement/nodes")).hasSize(2);
    JsonNode attempt = http.get(job + "/attempts").json().at("/items/0");
    assertThat(attempt.at("/members/1/exitCode").asInt()).isZero();
    assertThat(usedGpus()).isZero();
  }

  @Test
  void failureReportsItsExitCode() {
    JsonNode failed = awaitState(submit("exit 42", ", retry: {maxAttempts: 1}"), "FAILED");

    assertThat(failed.at("/failure/exitCode").asInt()).isEqualTo(42);
    assertThat(failed.at("/failure/cause").asString()).isEqualTo("USER_ERROR");
  }

  @Test
  void cancelledJobEndsOnSlurmToo() {
    String job = submit("sleep 600", "");
    awaitState(job, "RUNNING");

    http.json(job + "/cancel", "");

    awaitState(job, "CANCELLED");
    assertThat(slurm.command("squeue", "-h", "-t", "RUNNING,PENDING,COMPLETING")).isEmpty();
  }

  @Test
  void jobCancelledByAnAdministratorIsEvictedAndRestarts() {
    String job = submit("sleep 600", ", retry: {maxAttempts: 2, on: [EVICTED]}");
    awaitState(job, "RUNNING");

    slurm.command("scancel", "--state=RUNNING", "--user=root");

    await()
        .atMost(PATIENCE)
        .until(() -> http.get(job + "/attempts").json().get("items").size() == 2);
    assertThat(http.get(job + "/attempts").body()).contains("EVICTED");
    awaitState(job, "RUNNING");
    http.json(job + "/cancel", "");
    awaitState(job, "CANCELLED");
  }
}
