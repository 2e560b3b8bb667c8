package dev.fairlead.verify.load.launch;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalCluster;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Waiting;
import dev.fairlead.verify.host.Cost;
import dev.fairlead.verify.host.Processes;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Fairlead as contender: one service that decides, commits and launches, and a PostgreSQL with
 * durable commits. One gang runs before the single pods, on the empty cluster.
 */
final class FairleadLaunch implements LaunchContender {
  private static final String NAME = "Fairlead";
  private static final int GANG = 512;
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration LONG = Duration.ofHours(1);
  private static final List<String> UNBOUND_WRITES =
      List.of("-Dfairlead.kubernetes.calls.writes-per-second=10000");

  private final List<Double> gangs;

  /**
   * @param gangs receives the seconds from submit to RUNNING of each run's gang
   */
  FairleadLaunch(List<Double> gangs) {
    this.gangs = gangs;
  }

  static Figure gangs(double seconds) {
    return Figure.atMost(
        "gang of " + GANG + " pods, submit to RUNNING, on the empty cluster", seconds, "s", 10);
  }

  @Override
  public LaunchRun launch(int nodes, int pods) throws IOException, InterruptedException {
    List<String> up = LaunchContest.nodes(nodes);
    try (LocalCluster cluster = LocalCluster.start("bench-launch", up.toArray(String[]::new));
        LocalFairlead fairlead =
            LocalFairlead.start("bench-launch", UNBOUND_WRITES, EmbeddedDatabase.durable());
        OverCommitments overCommitments = OverCommitments.watch(cluster)) {
      FairleadApi api = fairlead.api();
      api.post("/clusters", cluster.registration("launch"));
      Waiting.until("the nodes are seen", PATIENCE, () -> seen(api) == nodes);
      gangs.add(gang(api));
      Waiting.until("the pods of the gang are gone", PATIENCE, () -> podless(cluster));
      ControlPlaneCpu cpu = ControlPlaneCpu.of(cluster);
      Processes processes = Processes.of(fairlead);
      Cost before = processes.cost();
      double seconds = new PodLaunches(api, LONG).run(pods, PATIENCE).toMillis() / 1000.0;
      Cost cost = processes.cost().since(before);
      SortedMap<String, Double> split = cpu.seconds();
      double compiler = cost.threads().getOrDefault("compiler", 0.0);
      split.put("Fairlead", (cost.serviceMillis() - compiler) / 1000);
      split.put("its JVM's compiler", compiler / 1000);
      split.put("PostgreSQL", cost.databaseMillis() / 1000);
      return new LaunchRun(NAME, seconds, overCommitments.violations(), split);
    }
  }

  private static int seen(FairleadApi api) {
    return api.get("/clusters/launch").path("nodes").asInt(0);
  }

  /**
   * Seconds from its submit until the service observed all its members running. Then it is
   * cancelled.
   */
  private static double gang(FairleadApi api) throws InterruptedException {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("name", "gang").put("image", "registry.example.com/verify/launch:1");
    body.put("workers", GANG).put("gpu", 1);
    body.putObject("annotations").put("sim.fairlead.dev/run-for", LONG.toSeconds() + "s");
    Instant start = Instant.now();
    String job = "/jobs/" + api.post("/projects/default/jobs", body).path("id").asString();
    Waiting.until("the gang runs", PATIENCE, () -> state(api, job).equals("RUNNING"));
    JsonNode running = api.get(job);
    api.post(job + "/cancel", JsonNodeFactory.instance.objectNode());
    return Duration.between(start, Instant.parse(running.path("startedAt").asString())).toMillis()
        / 1000.0;
  }

  private static String state(FairleadApi api, String job) {
    return api.get(job).path("state").asString();
  }

  /** Returns whether no pod of Fairlead remains. */
  static boolean podless(LocalCluster cluster) {
    return cluster
        .kubectl("get", "pods", "-A", "-l", "fairlead.dev/managed-by=fairlead", "-o", "name")
        .isBlank();
  }
}
