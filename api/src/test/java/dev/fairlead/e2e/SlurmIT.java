package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.work.workload.slurm.RealSlurm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Jobs on a real Slurm cluster, from the view of a caller. */
class SlurmIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final BackendTable TABLE = new BackendTable();
  private static final String BACKEND = "SLURM";

  private static EmbeddedDatabase database;
  private static CuttableProxy line;
  private static String[] options;
  private static RealSlurm slurm;
  private static RunningFairlead fairlead;
  private static Http http;

  @BeforeAll
  static void aCluster(@TempDir Path keys) {
    slurm = RealSlurm.start(2);
    options =
        new String[] {
          "--fairlead.key-file=" + keys.resolve("key"),
          "--fairlead.lease.duration=3s",
          "--fairlead.lease.renew=1s",
          "--fairlead.lease.self-stop=2s"
        };
    database = EmbeddedDatabase.start();
    line = CuttableProxy.to(database);
    fairlead = RunningFairlead.startBehind(database, line.url(database), options);
    http = fairlead.http();
    http.yaml("/api/v1/quotas", "{name: slurm-root}");
    Http.Answer queue =
        http.yaml(
            "/api/v1/quotas",
            "{name: slurm, parent: slurm-root, queue: {order: BEST_EFFORT_FIFO}, preemption:"
                + " {withinQueue: LOWER_PRIORITY}}");
    assertThat(queue.status()).as(queue.body()).isEqualTo(201);
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
    TABLE.print(List.of(BACKEND));
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
            "{image: none, memory: 100Mi, cpu: 1, queue: slurm, run: '%s', env: %s%s}"
                .formatted(run, env, more));
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
    TABLE.seen(BACKEND, "submit");
    nothingIsLeft();
  }

  private static void nothingIsLeft() {
    await().atMost(PATIENCE).until(() -> usedGpus() == 0);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(
                    http.get("/api/v1/quotas/slurm").json().get("usage").findValuesAsString("used"))
                .allMatch(amount -> amount.matches("0[A-Za-z]*")));
    TABLE.seen(BACKEND, "quota back to zero");
  }

  private static void cancel(String job) {
    http.json(job + "/cancel", "");
    awaitState(job, "CANCELLED");
  }

  /** Fails when one member of a gang holds a node while the other has none. */
  @Test
  void gangWithoutRoomOnANodeStartsNoMember() {
    String other =
        slurm.command(
            "sbatch",
            "--parsable",
            "-o",
            "/dev/null",
            "-D",
            "/",
            "-w",
            "n2",
            "--exclusive",
            "--wrap",
            "sleep 600");
    await()
        .atMost(PATIENCE)
        .until(() -> slurm.command("squeue", "-h", "-t", "RUNNING", "-o", "%i").equals(other));
    String job = submit("sleep 600", ", workers: 2, gpu: 2");
    await()
        .atMost(PATIENCE)
        .until(() -> !http.get(job + "/explanation").json().path("message").asString("").isEmpty());
    assertThat(slurm.command("squeue", "-h", "-t", "RUNNING", "-o", "%i")).isEqualTo(other);

    slurm.command("scancel", other);
    awaitState(job, "RUNNING");
    TABLE.seen(BACKEND, "gang all or nothing");
    cancel(job);
    nothingIsLeft();
  }

  /** Fails when a job keeps Slurm nodes that a job of higher priority needs. */
  @Tag("long")
  @Test
  void higherPriorityJobPreemptsAnother() {
    String low = submit("sleep 600", ", workers: 2, gpu: 2, priorityClass: low");
    awaitState(low, "RUNNING");
    String high = submit("sleep 3", ", workers: 2, gpu: 2, priorityClass: high");
    awaitState(high, "SUCCEEDED");
    assertThat(http.get(low + "/attempts").body()).contains("PREEMPTED");
    TABLE.seen(BACKEND, "preempt");
    awaitState(low, "RUNNING");
    cancel(low);
    nothingIsLeft();
  }

  /** Fails when another replica submits the job again, or loses it. */
  @Tag("long")
  @Test
  void anotherReplicaTakesOver() {
    String job = submit("sleep 20", ", gpu: 1");
    awaitState(job, "RUNNING");
    RunningFairlead second = RunningFairlead.startBehind(database, database.url(), options);
    line.cut();
    http = second.http();
    awaitState(job, "SUCCEEDED");
    assertThat(http.get(job + "/attempts").json().get("items")).hasSize(1);
    TABLE.seen(BACKEND, "kill of the replica");
    line.restore();
    http = fairlead.http();
    second.end();
    nothingIsLeft();
  }

  @Test
  void failureReportsItsExitCode() {
    JsonNode failed = awaitState(submit("exit 42", ", retry: {maxAttempts: 1}"), "FAILED");

    assertThat(failed.at("/failure/exitCode").asInt()).isEqualTo(42);
    assertThat(failed.at("/failure/cause").asString()).isEqualTo("USER_ERROR");
    TABLE.seen(BACKEND, "cause of failure");
  }

  @Test
  void cancelledJobEndsOnSlurmToo() {
    String job = submit("sleep 600", "");
    awaitState(job, "RUNNING");

    cancel(job);
    TABLE.seen(BACKEND, "cancel");
    assertThat(slurm.command("squeue", "-h", "-t", "RUNNING,PENDING,COMPLETING")).isEmpty();
  }

  @Tag("long")
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
    cancel(job);
  }
}
