package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.kernel.retention.Ages;
import dev.fairlead.kernel.retention.RetentionStore;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.work.log.S3Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Output of jobs whose pods are gone: pods are deleted as soon as their output is stored. Stored in
 * a directory, or with {@code -Dfairlead.logs=s3} in a bucket.
 */
class LogsIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final boolean S3 = "s3".equals(System.getProperty("fairlead.logs"));
  private static final String PLATFORM = "https://logs.example/%23/query";
  private static final String TIMES = "&from={from}&to={to}";
  @TempDir private static Path logs;
  @TempDir private Path home;
  private static EmbeddedDatabase database;
  private static RunningFairlead fairlead;
  private static Http http;

  @BeforeAll
  static void start() {
    database = MigratedDatabase.start();
    List<String> settings = new ArrayList<>(S3 ? bucket() : directory());
    settings.add("--fairlead.workload.keep-succeeded=0s");
    settings.add("--fairlead.logs.job-url=" + PLATFORM + "?job={job}&on={cluster}" + TIMES);
    settings.add("--fairlead.logs.member-url=" + PLATFORM + "?pod={pod}&is={role}-{index}" + TIMES);
    fairlead =
        RunningFairlead.startBehind(database, database.url(), settings.toArray(String[]::new));
    http = fairlead.http();
    http.yaml(
        "/api/v1/clusters",
        "{name: talks, kind: SIMULATED, fleet: [{nodes: 1, gpusPerNode: 8, model: H100}]}");
  }

  private static List<String> directory() {
    return List.of("--fairlead.logs.directory=" + logs);
  }

  private static List<String> bucket() {
    return List.of(
        "--fairlead.logs.s3.bucket=" + S3Server.BUCKET,
        "--fairlead.logs.s3.prefix=" + S3Server.newPrefix(),
        "--fairlead.logs.s3.endpoint=" + S3Server.get().endpoint(),
        "--fairlead.logs.s3.path-style=true",
        "--fairlead.logs.s3.access-key=" + S3Server.ACCESS_KEY,
        "--fairlead.logs.s3.secret-key=" + S3Server.SECRET_KEY);
  }

  @AfterAll
  static void stop() {
    fairlead.close();
    database.close();
  }

  private static String submit(String runFor) {
    Http.Answer job =
        http.yaml(
            "/api/v1/projects/default/jobs",
            "{image: x, gpu: 1, placement: {clusters: [talks]}, annotations:"
                + " {sim.fairlead.dev/run-for: "
                + runFor
                + "}}");
    assertThat(job.status()).as(job.body()).isEqualTo(201);
    return "/api/v1/jobs/" + job.json().get("id").asString();
  }

  private static void awaitState(String job, String state) {
    await()
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().path("state").asString("").equals(state));
  }

  private static long count(String sql) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  /** Fails when a pod is deleted before its last line was stored. */
  @Test
  void fullOutputIsReadableAfterThePodIsGone() throws SQLException, IOException {
    String job = submit("12s");
    awaitState(job, "SUCCEEDED");
    await()
        .atMost(PATIENCE)
        .until(() -> count("SELECT count(*) FROM attempt WHERE retired_at IS NULL") == 0);

    assertThat(http.get(job + "/logs?attempt=1").body().lines().map(LogsIT::said))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("started "),
            line -> assertThat(line).isEqualTo("heartbeat 1"),
            line -> assertThat(line).startsWith("ended with exit code 0"));
    assertThat(http.get(job + "/logs?tail=1").body()).contains("ended with").hasLineCount(1);
    assertThat(http.get(job + "/logs?follow=true").body()).hasLineCount(3);
    try (Stream<Path> files = Files.walk(logs)) {
      assertThat(files.filter(Files::isRegularFile))
          .allMatch(f -> f.equals(logs.resolve("installation")) || f.toString().endsWith(".gz"));
    }
    if (S3) {
      assertThat(logs).isEmptyDirectory();
    }
  }

  /** Fails when an address names another job or pod, or other times. */
  @Test
  void outputLinksToTheLogStoreOfThePlatform() {
    String job = submit("1s");
    awaitState(job, "SUCCEEDED");
    JsonNode attempt = http.get(job + "/attempts").json().at("/items/0");

    assertThat(http.get(job).json().path("logsUrl").asString()).isEqualTo(url(job));
    String pod = attempt.at("/members/0/pod").asString();
    assertThat(attempt.at("/members/0/logsUrl").asString())
        .isEqualTo(PLATFORM + "?pod=" + pod + "&is=worker-0" + times(attempt));
    assertThat(http.get(job + "/members").json().at("/items/0/logsUrl").asString())
        .contains("pod=" + pod);
  }

  private static String url(String job) {
    String bare = job.substring(job.lastIndexOf('_') + 1);
    return PLATFORM + "?job=" + bare + "&on=talks" + times(http.get(job).json());
  }

  /** From its creation to an hour after its end. */
  private static String times(JsonNode of) {
    Instant from = Instant.parse(of.path("createdAt").asString());
    Instant to = Instant.parse(of.path("endedAt").asString(from.toString()));
    return "&from=%s&to=%s".formatted(encoded(from), encoded(to.plus(Duration.ofHours(1))));
  }

  private static String encoded(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString().replace(":", "%3A");
  }

  private static void update(String sql) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(database.url(), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate(sql)).isPositive();
    }
  }

  /**
   * Fails when output is deleted with the row of its job, which moves to the archive after a week.
   */
  @Test
  void outputOfAnAttemptIsReadableAWeekLater() throws Exception {
    String job = submit("2s");
    String id = job.substring(job.lastIndexOf('_') + 1);
    awaitState(job, "SUCCEEDED");
    await()
        .atMost(PATIENCE)
        .until(() -> count("SELECT count(*) FROM attempt WHERE retired_at IS NULL") == 0);
    String before = http.get(job + "/logs?attempt=1").body();
    update("UPDATE job SET ended_at = ended_at - interval '8 days' WHERE NOT active");
    update("UPDATE log_member SET ended_at = ended_at - interval '8 days'");

    await()
        .atMost(PATIENCE)
        .until(() -> {
          fairlead.oldRows().clear(RetentionStore.Kind.JOBS, Ages.DEFAULT, 100);
          return count("SELECT count(*) FROM job_archive") > 0;
        });
    assertThat(http.get(job + "/logs?attempt=1").body()).isEqualTo(before).contains("ended with");
    assertThat(
            new CommandLine(home, http.base()).run("logs", "job_" + id, "--attempt", "1").printed())
        .contains("ended with");
  }

  private static String said(String line) {
    return line.substring(line.indexOf(' ') + 1);
  }

  /** Fails when lines that are already stored are read from the cluster again. */
  @Test
  void storedAndNewOutputAreReadAsOneStream() throws SQLException {
    String job = submit("1h");
    awaitState(job, "RUNNING");
    String open = "SELECT count(*) FROM log_member WHERE ended_at IS NULL AND part_stored > 0";
    await().atMost(PATIENCE).until(() -> count(open) > 0);
    await().atMost(PATIENCE).until(() -> http.get(job + "/logs").body().contains("heartbeat 1"));

    assertThat(http.get(job + "/logs").body().lines().map(LogsIT::said))
        .doesNotHaveDuplicates()
        .first()
        .asString()
        .startsWith("started ");
    assertThat(http.get(job + "/logs?tail=1").body()).contains("heartbeat").hasLineCount(1);
    aHeadLeavesItsConnectionToTheNext(job);
    http.json(job + "/cancel", "");
    awaitState(job, "CANCELLED");
  }

  /** Fails when a HEAD request is followed: it would never end. */
  private static void aHeadLeavesItsConnectionToTheNext(String job) {
    String head = "HEAD " + job + "/logs?follow=true HTTP/1.1\r\nHost: localhost\r\n\r\n";
    String next = "GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    Http.Answer answer = RawHttp.exchange(http.base(), head + next);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).startsWith("text/plain");
    assertThat(answer.body()).startsWith("HTTP/1.1 200");
  }

  @Test
  void doctorChecksTheLogStore() {
    assertThat(http.get("/api/v1/checks").body()).contains("accepts writes");
  }
}
