package dev.fairlead.verify.load.launch;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalCluster;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * {@code make bench-launch-smoke}: a service with an untuned JVM and real control planes with
 * simulated nodes on one machine. Prints each figure with its floor for 2 cores, and exits with 0
 * when all are met, 1 when not.
 */
public final class LaunchBench {
  private static final int PODS = 2_000;

  /** Without the two minutes for which pods are retained for their output. */
  private static final List<String> SOON_RETIRED = List.of("-Dfairlead.workload.keep-succeeded=5s");

  private static final Duration RUN_FOR = Duration.ofMinutes(1);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final Duration IDLE = Duration.ofSeconds(30);

  private final Report report;

  private LaunchBench(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("bench-launch-smoke", "launches on two real control planes")
        .measure(args, (arguments, report) -> new LaunchBench(report).measure());
  }

  private void measure() throws IOException, InterruptedException {
    String[] nodes = {"--audit", "--nodes", "250", "--racks", "25"};
    try (LocalCluster east = LocalCluster.start("bench-east", nodes);
        LocalCluster west = LocalCluster.start("bench-west", nodes);
        LocalFairlead fairlead = LocalFairlead.start("bench-launch-smoke", SOON_RETIRED)) {
      FairleadApi api = fairlead.api();
      register(api, east, "east", 250);
      register(api, west, "west", 250);
      launches(api, east, west);
      idle(fairlead);
    }
    try (LocalCluster wide = LocalCluster.start("bench-wide", "--nodes", "1000", "--racks", "100");
        LocalFairlead fairlead = LocalFairlead.start("bench-launch-smoke", List.of())) {
      double seconds = register(fairlead.api(), wide, "wide", 1_000);
      report.figure(Figure.atMost("inventory of 1,000 nodes", seconds, "s", 10));
    }
    try (LocalCluster many = LocalCluster.start("bench-many", "--nodes", "4");
        LocalFairlead fairlead = LocalFairlead.start("bench-launch-smoke", List.of());
        Reconnects reconnects = new Reconnects(fairlead.api(), many, PATIENCE)) {
      /* A connection is closed after 30 s of silence, and its reconnect takes up to 10 s more. */
      double spread = reconnects.spread(PATIENCE);
      report.figure(Figure.atLeast("reconnect of 20 clusters, first to last list", spread, "s", 3));
    }
  }

  /** CPU of a warm process: with both clusters, and without their supervision. */
  private void idle(LocalFairlead fairlead) throws InterruptedException {
    Duration two = processorTime(fairlead);
    for (String cluster : List.of("east", "west")) {
      fairlead
          .api()
          .patch(
              "/clusters/" + cluster,
              JsonNodeFactory.instance.objectNode().put("state", "DISABLED"));
    }
    Duration none = processorTime(fairlead);
    double each = (two.toMillis() - none.toMillis()) / 2.0 / IDLE.toMillis() * 100;
    report.figure(Figure.atMost("idle cost of a cluster", each, "% core", 1));
  }

  private void launches(FairleadApi api, LocalCluster east, LocalCluster west)
      throws IOException, InterruptedException {
    AuditLog eastLog = new AuditLog(east.auditLog());
    AuditLog westLog = new AuditLog(west.auditLog());
    long empty = east.stored() + west.stored();
    long running;
    int violations;
    try (OverCommitments first = OverCommitments.watch(east);
        OverCommitments second = OverCommitments.watch(west)) {
      PodLaunches launches = new PodLaunches(api, RUN_FOR);
      report.figure(
          Figure.atMost(
              "2,000 pods, submit to RUNNING",
              launches.run(PODS, PATIENCE).toMillis() / 1000.0,
              "s",
              60));
      running = east.stored() + west.stored();
      launches.awaitEnded(PATIENCE);
      for (LocalCluster cluster : List.of(east, west)) {
        Waiting.until("the pods are retired", PATIENCE, () -> FairleadLaunch.podless(cluster));
      }
      violations = first.violations() + second.violations();
    }
    report.figure(Figure.atMost("over-commitments", violations, "", 0));
    double created = eastLog.writes("create") + westLog.writes("create");
    double removed =
        eastLog.writes("delete")
            + westLog.writes("delete")
            + eastLog.writes("patch")
            + westLog.writes("patch");
    report.figure(Figure.atMost("API writes to start a pod", created / PODS, "", 1));
    report.figure(Figure.atMost("API writes to retire a pod", removed / PODS, "", 2));
    report.figure(storedForAPod("start", running - empty));
    report.figure(storedForAPod("retire", east.stored() + west.stored() - running));
  }

  /** Includes the writes of the simulated kubelets: the pod's status, and leases of 500 nodes. */
  private static Figure storedForAPod(String to, long bytes) {
    return Figure.atMost("written by etcd to " + to + " a pod", bytes / 1000.0 / PODS, "kB", 40);
  }

  /** Seconds until all its nodes are known. */
  private static double register(FairleadApi api, LocalCluster cluster, String name, int nodes)
      throws InterruptedException {
    var body = cluster.registration(name);
    Instant start = Instant.now();
    api.post("/clusters", body);
    Waiting.until(
        "the nodes of " + name + " are seen",
        PATIENCE,
        () -> api.get("/clusters/" + name).path("nodes").asInt(0) >= nodes);
    return Duration.between(start, Instant.now()).toMillis() / 1000.0;
  }

  /** CPU time of the idle service's process. */
  private static Duration processorTime(LocalFairlead fairlead) throws InterruptedException {
    Thread.sleep(Duration.ofSeconds(10)); // earlier calls have ended
    Duration before = used(fairlead);
    Thread.sleep(IDLE);
    return used(fairlead).minus(before);
  }

  private static Duration used(LocalFairlead fairlead) {
    return ProcessHandle.of(fairlead.service().pid())
        .flatMap(process -> process.info().totalCpuDuration())
        .orElseThrow(() -> new IllegalStateException("the service has ended"));
  }
}
