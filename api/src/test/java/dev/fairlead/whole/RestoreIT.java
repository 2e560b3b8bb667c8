package dev.fairlead.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.workload.kubernetes.ClusterFaults;
import dev.fairlead.workload.kubernetes.KubernetesCluster;
import dev.fairlead.workload.kubernetes.TestCluster;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A copy of the database is taken, the service goes on, and later the copy is what it starts on.
 */
@ExtendWith(KubernetesCluster.class)
class RestoreIT {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final String NAMESPACE = "fairlead-restored";
  private static final String JOB =
      "{image: x, gpu: 1, placement: {clusters: [restored-1]}, annotations: {sim.fairlead.dev/run-for: %s}}";
  private final TestCluster cluster = KubernetesCluster.shared();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  /**
   * Fails when the cluster does not know how far the database had come: the term of the next start
   * is new to it, and what runs there of the copy's ended or unknown attempts would be acted on.
   */
  @Test
  void theCopyReportsEveryDivergenceAndKillsNothingUntilItsIncarnationIsRaised(@TempDir Path keys)
      throws SQLException {
    cluster.nodes("restore", 2, 8, 1);
    String key = "--fairlead.key-file=" + keys.resolve("key");
    try (EmbeddedDatabase database = EmbeddedDatabase.start()) {
      RunningFairlead before = start(database, database.url(), key);
      register(before.http());
      String stays = running(before.http(), submit(before.http(), "10m"));
      String ends = running(before.http(), submit(before.http(), "10m"));
      String waits = submit(before.http(), "10m", "/suspend");
      before.end();
      copy(database);

      String unknown = goOn(start(database, database.url(), key), ends, waits);
      listen();
      for (int start = 0; start < 2; start++) {
        RunningFairlead restored = start(database, database.url("restored"), key);
        onlyReported(restored.http(), stays, unknown);
        restored.end();
      }

      RunningFairlead restored = start(database, database.url("restored"), key);
      try {
        onlyReported(restored.http(), stays, unknown);
        raise(restored.http());
        actsAgain(restored.http(), stays, unknown);
      } finally {
        clear(restored.http(), stays, unknown);
        restored.end();
      }
    }
  }

  private static RunningFairlead start(EmbeddedDatabase database, String url, String key) {
    return RunningFairlead.startBehind(
        database,
        url,
        key,
        "--fairlead.lease.duration=3s",
        "--fairlead.lease.renew=1s",
        "--fairlead.lease.self-stop=2s",
        "--fairlead.workload.keep-failed=0s");
  }

  private void register(Http http) {
    assertThat(http.json("/api/v1/projects", "{\"name\":\"restored\"}").status()).isEqualTo(201);
    String body =
        JsonMapper.builder()
            .build()
            .writeValueAsString(
                new TreeMap<>(Map.of("name", "restored-1", "kubeconfig", cluster.kubeconfig())));
    assertThat(http.json("/api/v1/clusters", body).status()).isEqualTo(201);
  }

  private static String submit(Http http, String runFor, String... orders) {
    Http.Answer answer = http.yaml("/api/v1/projects/restored/jobs", JOB.formatted(runFor));
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    String job = "/api/v1/jobs/" + answer.json().get("id").asString();
    for (String order : orders) {
      assertThat(http.json(job + order, "").status()).isEqualTo(200);
    }
    return job;
  }

  private static String running(Http http, String job) {
    reach(http, job, "RUNNING");
    return job;
  }

  private static void reach(Http http, String job, String state) {
    await(job + " is " + state)
        .atMost(PATIENCE)
        .until(() -> http.get(job).json().get("state").asString(), state::equals);
  }

  private static String pod(Http http, String job) {
    return http.get(job + "/attempts").json().at("/items/0/members/0/pod").asString();
  }

  private static void copy(EmbeddedDatabase database) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                database.url("template1"), database.user(), database.password());
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE DATABASE restored TEMPLATE postgres");
    }
  }

  /**
   * One job ends and another starts that the copy knows nothing of; the pod of that one. The
   * cluster has been told of a later mark when the process ends.
   */
  private String goOn(RunningFairlead after, String ends, String waits) {
    Http http = after.http();
    String mark = http.get("/api/v1/installation").json().get("id").asString() + ".mark";
    long copied = Long.parseLong(cluster.fence().get(mark));
    assertThat(http.json(ends + "/cancel", "").status()).isEqualTo(200);
    assertThat(http.json(waits + "/resume", "").status()).isEqualTo(200);
    reach(http, ends, "CANCELLED");
    String unknown = pod(http, running(http, waits));
    // One more than the copy may hold whose last mark the cluster was not told of.
    await("the cluster knows a later mark")
        .atMost(PATIENCE)
        .until(() -> Long.parseLong(cluster.fence().get(mark)) > copied + 1);
    await("nothing is left of the cancelled job")
        .atMost(PATIENCE)
        .until(
            () -> cluster.left(NAMESPACE).stream().filter(o -> o.startsWith("Pod/")).count(),
            n -> n == 2);
    after.end();
    return unknown;
  }

  private void listen() {
    log.start();
    ((Logger) LoggerFactory.getLogger("dev.fairlead.workload.service.DivergenceReport"))
        .addAppender(log);
  }

  private JsonNode row(Http http) {
    return http.get("/api/v1/clusters/restored-1").json();
  }

  private void onlyReported(Http http, String stays, String unknown) {
    log.list.clear();
    await("the cluster is only reported")
        .atMost(PATIENCE)
        .until(
            () -> row(http).path("trouble").asString(""),
            told -> told.startsWith("only reported") && told.contains("2 attempts differ"));
    assertThat(row(http).get("state").asString()).isEqualTo("DEGRADED");
    assertThat(List.copyOf(log.list).stream().map(ILoggingEvent::getFormattedMessage))
        .anyMatch(line -> line.contains("UNKNOWN_HERE"))
        .anyMatch(line -> line.contains("MISSING_THERE"));
    String refused = submit(http, "1s");
    await("it is explained")
        .atMost(PATIENCE)
        .until(() -> http.get(refused).json().get("pending").isObject());
    assertThat(cluster.wanted(NAMESPACE)).containsExactlyInAnyOrder(pod(http, stays), unknown);
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
        .until(() -> row(http).get("state").asString(), "ACTIVE"::equals);
    reach(http, submit(http, "1s"), "SUCCEEDED");
    assertThat(http.get(stays).json().get("state").asString()).isEqualTo("RUNNING");
    assertThat(http.get(stays + "/attempts").json().get("items")).hasSize(1);
    assertThat(cluster.wanted(NAMESPACE)).contains(pod(http, stays), unknown);
  }

  private void clear(Http http, String stays, String unknown) {
    http.json(stays + "/cancel", "");
    new ClusterFaults(cluster).forceDeletePod(NAMESPACE, unknown);
    reach(http, stays, "CANCELLED");
  }
}
