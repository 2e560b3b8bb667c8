package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.work.workload.kubernetes.ClusterFaults;
import dev.fairlead.work.workload.kubernetes.KubernetesCluster;
import dev.fairlead.work.workload.kubernetes.OnControlPlane;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Copies the database, continues the service, and later starts it on the copy. */
@OnControlPlane
class RestoreIT {
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final String JOB =
      "{image: x, gpu: 1, placement: {clusters: [restored-1]}, annotations:"
          + " {sim.fairlead.dev/run-for: %s}}";
  private final TestCluster cluster = KubernetesCluster.shared();
  @TempDir private Path scratch;
  private String namespace = "";

  /**
   * Fails when the cluster does not store the progress of the database: it would accept the epoch
   * of a restored copy, which would then stop attempts that it considers ended or unknown.
   */
  @Test
  void theCopyReportsEveryDivergenceAndKillsNothingUntilItsIncarnationIsRaised() throws Exception {
    cluster.nodes("restore", 2, 8, 1);
    try (EmbeddedDatabase database = EmbeddedDatabase.start()) {
      RunningFairlead before = start(database, database.url(), "before");
      register(before.http());
      String stays = running(before.http(), submit(before.http(), "10m"));
      String ends = running(before.http(), submit(before.http(), "10m"));
      before.end();
      copy(database);

      String unknown = goOn(start(database, database.url(), "after"), ends);
      RunningFairlead first = start(database, database.url("restored"), "first");
      listed("first", unknown, attempt(first.http(), ends));
      onlyReported(first.http(), stays, unknown);
      first.end();

      RunningFairlead restored = start(database, database.url("restored"), "second");
      try {
        listed("second", unknown, attempt(restored.http(), ends));
        onlyReported(restored.http(), stays, unknown);
        raise(restored.http());
        actsAgain(restored.http(), stays, unknown);
        clear(restored.http(), stays, unknown);
      } finally {
        restored.end();
      }
    }
  }

  private RunningFairlead start(EmbeddedDatabase database, String url, String log) {
    return RunningFairlead.startBehind(
        database,
        url,
        "--fairlead.key-file=" + scratch.resolve("key"),
        "--logging.file.name=" + scratch.resolve(log),
        "--fairlead.workload.keep-failed=0s");
  }

  private void register(Http http) {
    assertThat(http.json("/api/v1/projects", "{\"name\":\"restored\"}").status()).isEqualTo(201);
    namespace = http.namespace("restored");
    String body =
        JsonMapper.builder()
            .build()
            .writeValueAsString(
                new TreeMap<>(Map.of("name", "restored-1", "kubeconfig", cluster.kubeconfig())));
    assertThat(http.json("/api/v1/clusters", body).status()).isEqualTo(201);
  }

  private static String submit(Http http, String runFor) {
    Http.Answer answer = http.yaml("/api/v1/projects/restored/jobs", JOB.formatted(runFor));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  private static String running(Http http, String job) {
    reach(http, job, "RUNNING");
    return job;
  }

  private static void reach(Http http, String job, String state) {
    await(job + " is " + state)
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().path("state").asString(""), state::equals);
  }

  private static String pod(Http http, String job) {
    return http.get(job + "/attempts").json().at("/items/0/members/0/pod").asString();
  }

  private static void copy(EmbeddedDatabase database) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                database.url("template1"), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      await("no session of the ended process is left, which the copy would be refused for")
          .atMost(PATIENCE)
          .until(() -> sessions(statement), n -> n == 0);
      statement.execute("CREATE DATABASE restored TEMPLATE postgres");
    }
  }

  private static int sessions(Statement statement) throws SQLException {
    try (ResultSet row =
        statement.executeQuery(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = 'postgres' AND backend_type ="
                + " 'client backend'")) {
      row.next();
      return row.getInt(1);
    }
  }

  /**
   * Ends one job and starts another, both unknown to the copy, and returns the pod of the second.
   * The launch sends a later watermark to the cluster, without a renewal of the lease.
   */
  private String goOn(RunningFairlead after, String ends) {
    Http http = after.http();
    assertThat(http.json(ends + "/cancel", "").status()).isEqualTo(200);
    reach(http, ends, "CANCELLED");
    String unknown = pod(http, running(http, submit(http, "10m")));
    await("nothing is left of the cancelled job")
        .atMost(PATIENCE)
        .until(
            () -> cluster.left(namespace).stream().filter(o -> o.startsWith("Pod/")).count(),
            n -> n == 2);
    after.end();
    return unknown;
  }

  private static String attempt(Http http, String job) {
    return http.get(job + "/attempts").json().at("/items/0/id").asString();
  }

  /** The log names both attempts: the pod's and the missing one. */
  private void listed(String log, String pod, String missing) {
    String unknown = "att_" + pod.split("-")[1];
    await("each divergence is listed")
        .atMost(PATIENCE)
        .until(
            () -> Files.readString(scratch.resolve(log)),
            text ->
                text.contains(unknown + " is UNKNOWN_HERE")
                    && text.contains(missing + " is MISSING_THERE"));
  }

  private JsonNode row(Http http) {
    return http.get("/api/v1/clusters/restored-1").json();
  }

  private void onlyReported(Http http, String stays, String unknown) {
    await("the cluster is only reported")
        .atMost(PATIENCE)
        .until(
            () -> row(http),
            row ->
                row.path("state").asString("").equals("DEGRADED")
                    && row.path("trouble").asString("").startsWith("only reported")
                    && row.path("trouble").asString("").contains("2 attempts differ"));
    String refused = submit(http, "1s");
    await("it is explained")
        .atMost(PATIENCE)
        .until(() -> http.get(refused).json().get("pending").isObject());
    assertThat(cluster.wanted(namespace)).containsExactlyInAnyOrder(pod(http, stays), unknown);
    assertThat(http.json(refused + "/cancel", "").status()).isEqualTo(200);
  }

  private static void raise(Http http) {
    String path = "/api/v1/installation";
    assertThat(http.get(path).json().get("incarnation").asInt()).isEqualTo(1);
    String order = path + "/raise-incarnation";
    assertThat(http.json(order, "").status()).isEqualTo(428);
    assertThat(http.json(order, "", "If-Match", "\"2\"").status()).isEqualTo(412);
    Http.Answer raised = http.json(order, "", "If-Match", http.get(path).header("ETag"));
    assertThat(raised.json().get("incarnation").asInt()).isEqualTo(2);
    assertThat(http.json(order, "", "If-Match", "\"1\"").status()).isEqualTo(412);
  }

  private void actsAgain(Http http, String stays, String unknown) {
    await("the cluster is acted on")
        .atMost(PATIENCE)
        .until(() -> row(http).path("state").asString(""), "ACTIVE"::equals);
    reach(http, submit(http, "1s"), "SUCCEEDED");
    assertThat(http.get(stays).json().path("state").asString("")).isEqualTo("RUNNING");
    assertThat(http.get(stays + "/attempts").json().get("items")).hasSize(1);
    assertThat(cluster.wanted(namespace)).contains(pod(http, stays), unknown);
  }

  private void clear(Http http, String stays, String unknown) {
    http.json(stays + "/cancel", "");
    new ClusterFaults(cluster).forceDeletePod(namespace, unknown);
    reach(http, stays, "CANCELLED");
  }
}
