package dev.fairlead.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.work.workload.kubernetes.Bystanders;
import dev.fairlead.work.workload.kubernetes.ClusterFaults;
import dev.fairlead.work.workload.kubernetes.GpuReferee;
import dev.fairlead.work.workload.kubernetes.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.core.ConditionTimeoutException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A service and its real control planes, each behind a connection that can be cut, with a referee
 * for its GPUs and foreign objects in the project's namespace.
 */
final class FaultRig implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(120);
  static final String PROJECT = "faults";
  private static final Pattern SERVER =
      Pattern.compile("(server: \"?https://127\\.0\\.0\\.1:)(\\d+)");
  private final EmbeddedDatabase database = EmbeddedDatabase.start();
  private final String[] options;
  private final String namespace;
  private RunningFairlead fairlead;

  FaultRig(Path keys) {
    options =
        new String[] {
          "--fairlead.key-file=" + keys.resolve("key"),
          "--fairlead.workload.keep-failed=0s",
          "--fairlead.workload.keep-succeeded=0s",
          "--fairlead.placement.node-labels=kubernetes.io/hostname,topology.fairlead.dev/block"
        };
    fairlead = RunningFairlead.startBehind(database, database.url(), options);
    assertThat(http().json("/api/v1/projects", "{\"name\":\"" + PROJECT + "\"}").status())
        .isEqualTo(201);
    namespace = http().namespace(PROJECT);
  }

  /** Of the project {@link #PROJECT}, on each cluster. */
  String namespace() {
    return namespace;
  }

  /** A control plane from the view of Fairlead and of its administrator. */
  record Site(
      String name,
      TestCluster cluster,
      ClusterFaults faults,
      CuttableProxy line,
      GpuReferee referee,
      Bystanders bystanders)
      implements AutoCloseable {
    @Override
    public void close() {
      referee.close();
      bystanders.close();
      line.close();
    }
  }

  Http http() {
    return fairlead.http();
  }

  /** Registers the cluster and runs a first job, which creates the namespace. */
  Site register(String name, TestCluster cluster, String firstNode) {
    Matcher server = SERVER.matcher(cluster.kubeconfig());
    assertThat(server.find()).isTrue();
    CuttableProxy line = CuttableProxy.to(Integer.parseInt(server.group(2)));
    String kubeconfig = server.replaceFirst("$1" + line.port());
    String body =
        JsonMapper.builder()
            .build()
            .writeValueAsString(new TreeMap<>(Map.of("name", name, "kubeconfig", kubeconfig)));
    Http.Answer answer = http().json("/api/v1/clusters", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    GpuReferee referee = new GpuReferee(cluster);
    shortJob(name);
    return new Site(
        name,
        cluster,
        new ClusterFaults(cluster),
        line,
        referee,
        new Bystanders(cluster, namespace, firstNode));
  }

  private void shortJob(String cluster) {
    reach(
        submit(
            "{image: x, placement: {clusters: ["
                + cluster
                + "]}, annotations: {sim.fairlead.dev/run-for: 100ms}}"),
        "SUCCEEDED");
  }

  /** Stops the service as a signal does, and starts another on the same database. */
  void restart() {
    fairlead.end();
    fairlead = RunningFairlead.startBehind(database, database.url(), options);
  }

  String submit(String spec) {
    return submit(PROJECT, spec);
  }

  String submit(String project, String spec) {
    Http.Answer answer = http().yaml("/api/v1/projects/" + project + "/jobs", spec);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return "/api/v1/jobs/" + answer.json().get("id").asString();
  }

  /**
   * Freezes the connection to the cluster and has a job planned, whose launch arrives after the
   * thaw. A cluster that has not responded for five seconds gets no new job, so a slow machine may
   * need another try.
   */
  String plannedWhileFrozen(Site site, String spec) {
    for (int left = 5; left > 0; left--) {
      site.line().freeze();
      String job = submit(spec);
      try {
        await().atMost(Duration.ofSeconds(15)).until(() -> !attempts(job).isEmpty());
        return job;
      } catch (ConditionTimeoutException late) {
        site.line().thaw();
        cancel(job);
        shortJob(site.name());
      }
    }
    throw new AssertionError("no job was planned in time on " + site.name());
  }

  void cancel(String job) {
    assertThat(http().json(job + "/cancel", "").status()).isEqualTo(200);
    reach(job, "CANCELLED");
  }

  JsonNode reach(String job, String state) {
    JsonNode[] seen = new JsonNode[1];
    await("job is " + state)
        .atMost(PATIENCE)
        .untilAsserted(() -> {
          seen[0] = http().get(job).json();
          // An overloaded service responds with a problem document, which has no state.
          assertThat(seen[0].path("state").asString("")).as(seen[0].toString()).isEqualTo(state);
        });
    return seen[0];
  }

  JsonNode attempts(String job) {
    return http().get(job + "/attempts").json().get("items");
  }

  /** The newest attempt. */
  JsonNode attempt(String job) {
    JsonNode all = attempts(job);
    JsonNode newest = all.get(0);
    for (JsonNode attempt : all) {
      newest = attempt.get("number").asInt() > newest.get("number").asInt() ? attempt : newest;
    }
    return newest;
  }

  /** The running attempt. A node that was briefly not ready may have refused earlier attempts. */
  JsonNode runs(String job) {
    return runsAfter(job, 0);
  }

  /** A running attempt with a later number than the given one. */
  JsonNode runsAfter(String job, int number) {
    await("an attempt after " + number + " runs")
        .atMost(PATIENCE)
        .until(() ->
            !attempts(job).isEmpty()
                && attempt(job).get("number").asInt() > number
                && attempt(job).path("state").asString("").equals("RUNNING"));
    return attempt(job);
  }

  /** The same attempt, in that state. */
  JsonNode reach(JsonNode attempt, String state) {
    String job = "/api/v1/jobs/" + attempt.get("job").asString();
    int number = attempt.get("number").asInt();
    await("attempt " + number + " is " + state)
        .atMost(PATIENCE)
        .until(() -> numbered(job, number).path("state").asString(""), state::equals);
    return numbered(job, number);
  }

  private JsonNode numbered(String job, int number) {
    for (JsonNode attempt : attempts(job)) {
      if (attempt.get("number").asInt() == number) {
        return attempt;
      }
    }
    throw new AssertionError("no attempt " + number + " of " + job);
  }

  /** The job succeeds, with a single start. */
  void succeedsOnce(String job) {
    reach(job, "SUCCEEDED");
    // an attempt that began and ended between two passes was never seen running
    assertThat(attempts(job))
        .filteredOn(
            a -> a.get("startedAt").isString() || a.get("state").asString().equals("SUCCEEDED"))
        .hasSize(1);
  }

  static String pod(JsonNode attempt) {
    return attempt.at("/members/0/pod").asString();
  }

  static String node(JsonNode attempt) {
    return attempt.at("/members/0/node").asString();
  }

  @Override
  public void close() {
    fairlead.end();
    database.close();
  }
}
