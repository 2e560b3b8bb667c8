package dev.fairlead.e2e;

import static dev.fairlead.kernel.text.Texts.reason;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Sessions over real web sockets in members of a simulated cluster, which echo commands and their
 * input.
 */
class SessionsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Http http = RunningFairlead.shared().http();
  private static String job = "";

  @BeforeAll
  static void aRunningJob() {
    http.yaml(
        "/api/v1/clusters",
        "{name: sessions, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}");
    http.yaml("/api/v1/projects", "{name: sessions}");
    job = submit("workers: 2, gpu: 1, sidecars: [{name: proxy, image: x}]");
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().path("state").asString("").equals("RUNNING"));
  }

  private static String submit(String fields) {
    Http.Answer answer =
        http.yaml(
            "/api/v1/projects/sessions/jobs",
            "{image: x, placement: {clusters: [sessions]}, annotations:"
                + " {sim.fairlead.dev/run-for: 1h}, "
                + fields
                + "}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static String exec(String query) {
    return http.base() + job + "/exec" + query;
  }

  private static List<JsonNode> audit(String action) {
    return http.get("/api/v1/audit?pageSize=200")
        .json()
        .get("items")
        .valueStream()
        .filter(row -> row.get("action").asString().equals(action))
        .filter(row -> job.endsWith(row.get("object").asString()))
        .toList();
  }

  /** Fails when a channel, the exit code, the end of the input or a row of the audit is lost. */
  @Test
  void aCommandHasInputOutputAnExitCodeAndTwoRowsInTheAudit() {
    SessionSocketClient session =
        SessionSocketClient.open(
            exec("?stdin=true&member=worker-1"), SessionSocketClient.command("exit", "7"));
    session.send(0, "some input");
    session.awaitText(1, "some input");
    session.endOfInput();

    assertThat(session.awaitClose()).isEqualTo("1000");
    assertThat(session.text(1)).isEqualTo("exit 7\nsome input");
    assertThat(session.text(3)).contains("\"ExitCode\",\"message\":\"7\"");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() ->
            assertThat(audit("execJob"))
                .filteredOn(row -> row.at("/detail/program").asString("").equals("exit"))
                .hasSize(2)
                .allMatch(row -> row.at("/detail/member").asString().equals("worker-1"))
                .anyMatch(row -> row.at("/detail/exitCode").asInt(0) == 7));
  }

  /** Fails when arguments, or a program that is a whole line with a password, reach the audit. */
  @Test
  void auditContainsNoArguments() {
    SessionSocketClient session =
        SessionSocketClient.open(
            exec(""), SessionSocketClient.command("login --password=hunter2", "hunter3"));
    assertThat(session.awaitClose()).isEqualTo("1000");
    assertThat(http.get("/api/v1/audit?pageSize=200").body())
        .doesNotContain("hunter2")
        .doesNotContain("hunter3");
  }

  @Test
  void rejectionIsAResponseBeforeTheHandshake() {
    String[] date = SessionSocketClient.command("date");
    assertThat(SessionSocketClient.refused(exec("?member=worker-7"), date)).isEqualTo(404);
    assertThat(SessionSocketClient.refused(exec("?container=none"), date)).isEqualTo(404);
    assertThat(SessionSocketClient.refused(exec(""))).isEqualTo(400);
    assertThat(http.get(job + "/exec").status()).isEqualTo(400);
    assertThat(http.get(job + "/exec?container=none").body()).contains("It has proxy.");
    assertThat(
            SessionSocketClient.refused(
                http.base() + "/api/v1/jobs/job_01m7vxn2c4e0mtrw2g5kqy8v3d/exec", date))
        .isEqualTo(404);
    assertThat(SessionSocketClient.refused(http.base() + job + "/port-forward?port=80"))
        .as("a simulated member opens no ports")
        .isEqualTo(409);
    assertThat(
            SessionSocketClient.refused(
                http.base() + job + "/exec", SessionSocketClient.command("date", "a\0b")))
        .isEqualTo(400);
    assertThat(http.get(job + "/port-forward").body()).contains("parameter port");
    String waiting = submit("gpu: 8");
    assertThat(SessionSocketClient.refused(http.base() + waiting + "/exec", date)).isEqualTo(409);
  }

  /** Fails when a page of another site can open a session with the rights of this machine. */
  @Test
  void aPageInABrowserOpensNoSession() {
    String[] date = SessionSocketClient.command("date");
    for (String origin : List.of("https://evil.example", http.base())) {
      Http.Answer answer =
          http.get(
              job + "/exec",
              "Origin",
              origin,
              "Fairlead-Command",
              date[1],
              "Sec-WebSocket-Version",
              "13");
      assertThat(answer.status()).as(origin).isIn(401, 403);
    }
  }

  @Test
  void oversizedFrameEndsTheSession() {
    SessionSocketClient session =
        SessionSocketClient.open(exec("?stdin=true"), SessionSocketClient.command("cat"));
    session.awaitText(1, "cat");
    session.send(ByteBuffer.allocate(70_000));
    assertThat(session.awaitClose()).startsWith("1009");
  }

  /** Fails when the limit does not count open sessions, or a closed session stays counted. */
  @Test
  void projectLimitCountsOpenSessionsAndZeroEndsAndRejectsThem() {
    String limits = "/api/v1/projects/sessions/limits";
    SessionSocketClient first =
        SessionSocketClient.open(exec("?stdin=true"), SessionSocketClient.command("cat"));
    first.awaitText(1, "cat");
    try {
      http.send("PATCH", limits, "{\"sessions\": 1}", "Content-Type", Http.JSON);
      await().atMost(PATIENCE).until(() -> 422 == status(SessionSocketClient.command("date")));
      http.send("PATCH", limits, "{\"sessions\": 0}", "Content-Type", Http.JSON);

      assertThat(first.awaitClose()).satisfies(reason("sessions.sessions-now-off-project", 1008));
      await().atMost(PATIENCE).until(() -> 403 == status(SessionSocketClient.command("date")));
    } finally {
      http.send("PATCH", limits, "{\"sessions\": null}", "Content-Type", Http.JSON);
    }
    await().atMost(PATIENCE).until(() -> 101 == status(SessionSocketClient.command("date")));
  }

  private static int status(String... headers) {
    try {
      return SessionSocketClient.refused(exec(""), headers);
    } catch (AssertionError opened) {
      return 101;
    }
  }
}
