package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Warm pools over REST, on PostgreSQL and a simulated cluster. */
class WarmPoolsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String POOLS = "/api/v1/projects/warm/warm-pools";
  private static final String SESSION =
      "image: lab, launcher: jupyter, gpu: 1, placement: {clusters: [warm]}";
  private static final Http http = RunningFairlead.shared().http();

  @BeforeAll
  static void aClusterAndAProject() {
    http.yaml(
        "/api/v1/clusters",
        "{name: warm, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}");
    http.yaml("/api/v1/projects", "{name: warm}");
  }

  private static Http.Answer put(String name, String body) {
    return http.send("PUT", POOLS + "/" + name, body, "Content-Type", Http.YAML);
  }

  private static Http.Answer submit(String fields) {
    return http.yaml("/api/v1/projects/warm/jobs", "{" + SESSION + ", " + fields + "}");
  }

  private static int ready(String name) {
    return http.get(POOLS)
        .json()
        .get("items")
        .valueStream()
        .filter(pool -> pool.get("name").asString().equals(name))
        .mapToInt(pool -> pool.get("ready").asInt())
        .sum();
  }

  /**
   * Fails when a submit does not take a member, or the member retains its former identity anywhere.
   */
  @Test
  void aSubmitTakesAMemberThatRunsAndThePoolRefills() {
    Http.Answer made = put("lab", "{members: 1, job: {" + SESSION + ", maxRuntime: 8h}}");
    assertThat(made.status()).as(made.body()).isEqualTo(200);
    await().atMost(PATIENCE).until(() -> ready("lab") == 1);
    String member = "/api/v1/projects/warm/jobs?name=lab-warm-1";
    JsonNode waiting = http.get(member).json().at("/items/0");
    assertThat(waiting.get("user").asString()).isEqualTo("warm-pools");
    String exec = "/api/v1/jobs/" + waiting.get("id").asString() + "/exec";
    assertThat(SessionSocketClient.refused(http.base() + exec, SessionSocketClient.command("id")))
        .as("a session in a member")
        .isEqualTo(409);

    Http.Answer other = submit("name: other, env: {A: b}");
    assertThat(other.json().get("warnings").toString()).contains("differ in env");
    Http.Answer plan =
        http.yaml("/api/v1/projects/warm/jobs?validateOnly=true", "{" + SESSION + ", name: eda}");
    assertThat(plan.json().get("state").asString()).as(plan.body()).isEqualTo("RUNNING");
    assertThat(http.get(member).json().at("/items/0/id")).isEqualTo(waiting.get("id"));
    assertThat(put("lab", "{members: 9, job: {" + SESSION + ", maxRuntime: 8h}}").status())
        .isEqualTo(200);
    await().atMost(PATIENCE).until(() -> http.get(POOLS).body().contains(" is QUEUED: "));
    assertThat(put("lab", "{members: 1, job: {" + SESSION + ", maxRuntime: 8h}}").status())
        .isEqualTo(200);
    Http.Answer taken = submit("name: eda, maxRuntime: 8h, labels: {session: jupyter}");

    assertThat(taken.status()).as(taken.body()).isEqualTo(201);
    JsonNode job = taken.json();
    assertThat(job.get("id")).isEqualTo(waiting.get("id"));
    assertThat(job.get("state").asString()).isEqualTo("RUNNING");
    String path = "/api/v1/jobs/" + job.get("id").asString();
    JsonNode stored = http.get(path).json();
    assertThat(stored.get("name").asString()).isEqualTo("eda");
    assertThat(stored.get("user").asString()).isNotEqualTo("warm-pools");
    assertThat(stored.at("/spec/maxRuntime").asString()).isEqualTo("8h");
    assertThat(http.get("/api/v1/projects/warm/jobs?label=session%3Djupyter").body())
        .contains(job.get("id").asString());
    assertThat(http.get("/api/v1/projects/warm/jobs?label=fairlead.dev/warm-pool%3Dlab").body())
        .doesNotContain(job.get("id").asString());
    assertThat(http.get(path + "/events").body()).contains("JobTaken", "\"warmPool\":\"lab\"");
    assertThat(http.get(path + "/attempts").json().get("items")).hasSize(1);
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          JsonNode next = http.get(member).json().at("/items/0");
          assertThat(next.path("id").asString("")).isNotEqualTo(waiting.get("id").asString());
          assertThat(next.path("state").asString("")).isEqualTo("RUNNING");
        });
    assertThat(http.send("DELETE", POOLS + "/lab", null).status()).isEqualTo(204);
    await().atMost(PATIENCE).until(() -> !http.get(POOLS).body().contains("\"lab\""));
    assertThat(http.get(path).json().get("state").asString()).isEqualTo("RUNNING");
  }

  /** Fails when an agent waits for its sandbox, or its command runs in another member. */
  @Test
  void aSandboxOfAWarmPoolRunsACommandRightAfterItsSubmit() {
    String sandbox =
        "image: python, launcher: ssh, cpu: 1, placement: {clusters: [warm]}, progress: {timeout: 10m, onTimeout: SUSPEND}";
    assertThat(put("sandbox", "{members: 1, job: {" + sandbox + "}}").status()).isEqualTo(200);
    await().atMost(PATIENCE).until(() -> ready("sandbox") == 1);

    long submitted = System.nanoTime();
    Http.Answer taken =
        http.yaml("/api/v1/projects/warm/jobs", "{name: agent-1, maxRuntime: 1h, " + sandbox + "}");
    assertThat(taken.json().at("/state").asString("")).as(taken.body()).isEqualTo("RUNNING");
    String job = "/api/v1/jobs/" + taken.json().get("id").asString();
    SessionSocketClient command =
        SessionSocketClient.open(
            http.base() + job + "/exec", SessionSocketClient.command("python3", "-c", "print(6)"));
    assertThat(command.awaitClose()).isEqualTo("1000");

    System.out.printf(
        "figure sessions: submit to output of a warm sandbox %d ms%n",
        Duration.ofNanos(System.nanoTime() - submitted).toMillis());
    assertThat(command.text(1)).isEqualTo("python3 -c print(6)\n");
    Http.Answer page = http.send("POST", job + "/session-links", null);
    assertThat(page.status()).as("a sandbox has no page").isEqualTo(409);
    assertThat(http.send("DELETE", POOLS + "/sandbox", null).status()).isEqualTo(204);
    assertThat(http.json(job + "/cancel", "").status()).isEqualTo(200);
  }

  /** Fails when a pool keeps sessions that could belong to one user, or no sessions at all. */
  @Test
  void poolStartsOnlySessionsThatEveryUserCanTake() {
    assertThat(put("bad", "{members: 33, job: {" + SESSION + "}}").status()).isEqualTo(422);
    assertThat(put("bad", "{members: 1}").status()).isEqualTo(422);
    assertThat(put("bad", "{members: 1, job: {image: x}}").body())
        .contains("launcher of a session");
    assertThat(put("bad", "{members: 1, job: {" + SESSION + ", name: x}}").body())
        .contains("/job/name");
    assertThat(
            put("bad", "{members: 1, job: {" + SESSION + ", volumes: [{claim: f, mountPath: /f}]}}")
                .body())
        .contains("cannot have volumes");
    assertThat(submit("name: forged, labels: {fairlead.dev/warm-pool: lab}").status())
        .as("a label of Fairlead")
        .isEqualTo(422);
    assertThat(http.send("DELETE", POOLS + "/none", null).status()).isEqualTo(404);
  }
}
