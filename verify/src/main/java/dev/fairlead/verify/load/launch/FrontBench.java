package dev.fairlead.verify.load.launch;

import dev.fairlead.launcher.EmbeddedDatabase;
import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LocalCluster;
import dev.fairlead.launcher.LocalFairlead;
import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.Figure;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.Waiting;
import dev.fairlead.verify.host.Cost;
import dev.fairlead.verify.host.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * {@code make bench-front}: Jobs of one GPU and one second that {@code kubectl} creates, from the
 * first create until the last one is Complete. First on a front cluster without nodes, with the
 * pods on a second control plane of Fairlead, twice: with a service that has just been started, and
 * again after the compilers of its JVM have seen the work. Then on one control plane with the Job
 * the Kubernetes controller and kube-scheduler. Exits with 0 when all Jobs are Complete, even if a
 * goal was missed.
 */
public final class FrontBench {
  private static final int JOBS = 1_000;
  private static final int QUICK_JOBS = 200;
  private static final int CLIENTS = 8;
  private static final int NODES = 125;
  private static final String NAMESPACE = "fronted";
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Pattern SECOND = Pattern.compile("\\S+Z");
  private static final List<String> UNBOUND_WRITES =
      List.of("-Dfairlead.kubernetes.calls.writes-per-second=10000");

  private final int jobs;
  private final boolean alone;
  private final Report report;

  private FrontBench(int jobs, boolean alone, Report report) {
    this.report = report;
    this.jobs = jobs;
    this.alone = alone;
  }

  /**
   * Jobs that are created together.
   *
   * @param first number of the first one, which is the number of earlier Jobs
   */
  private record Wave(String who, LocalCluster cluster, String managedBy, int first) {}

  public static void main(String[] args) {
    Program.of("bench-front", "Jobs that kubectl creates on a front cluster")
        .option("quick", "1: a fifth of the Jobs")
        .option("fairlead", "1: without the Job controller and kube-scheduler")
        .measure(
            args,
            (arguments, report) -> {
              int jobs = arguments.has("quick") ? QUICK_JOBS : JOBS;
              new FrontBench(jobs, arguments.has("fairlead"), report).measure();
            });
  }

  private void measure() throws IOException, InterruptedException {
    double ours = fairlead();
    report.line(
        Figure.atLeast("Jobs of a front, created to Complete", jobs / ours, "/s", 100).line());
    if (alone) {
      return;
    }
    double theirs = kubernetes();
    report.line(Figure.atMost("Fairlead to the Job controller", ours / theirs, "x", 2).line());
  }

  private double fairlead() throws IOException, InterruptedException {
    List<String> up = LaunchContest.nodes(NODES);
    try (LocalCluster front = LocalCluster.start("bench-front");
        LocalCluster pool = LocalCluster.start("bench-pool", up.toArray(String[]::new));
        LocalFairlead fairlead =
            LocalFairlead.start("bench-front", UNBOUND_WRITES, EmbeddedDatabase.durable())) {
      FairleadApi api = fairlead.api();
      front.kubectl("apply", "-f", WorkTree.root().resolve("deploy/cluster-front.yaml").toString());
      front.kubectl("create", "namespace", NAMESPACE);
      api.post("/clusters", front.registration("front"));
      api.post("/clusters", pool.registration("pool"));
      Waiting.until(
          "the nodes are seen",
          PATIENCE,
          () -> api.get("/clusters/pool").path("nodes").asInt(0) == NODES);
      api.putYaml("/clusters/front/front-namespaces/" + NAMESPACE, "{project: default}");
      Processes processes = Processes.of(fairlead);
      String managedBy = "  managedBy: fairlead.dev/job\n";
      double _ = costs(processes, pool, new Wave("Fairlead, fresh", front, managedBy, 0));
      return costs(processes, pool, new Wave("Fairlead, warm", front, managedBy, jobs));
    }
  }

  /** Seconds until all Jobs of the wave are Complete. Prints the CPU time. */
  private double costs(Processes processes, LocalCluster pool, Wave wave)
      throws IOException, InterruptedException {
    ControlPlaneCpu ordering = ControlPlaneCpu.of(wave.cluster());
    ControlPlaneCpu running = ControlPlaneCpu.of(pool);
    Cost before = processes.cost();
    double seconds = complete(wave);
    Cost cost = processes.cost().since(before);
    report.format(
        "  CPU seconds: service %.1f, PostgreSQL %.1f, front %s, pool %s%n  %s",
        cost.serviceMillis() / 1000,
        cost.databaseMillis() / 1000,
        text(ordering.seconds()),
        text(running.seconds()),
        cost.split());
    return seconds;
  }

  private double kubernetes() throws IOException, InterruptedException {
    List<String> up = new ArrayList<>(LaunchContest.nodes(NODES));
    up.add("--scheduler");
    try (LocalCluster cluster = LocalCluster.start("bench-jobs", up.toArray(String[]::new))) {
      cluster.kubectl("create", "namespace", NAMESPACE);
      ControlPlaneCpu cpu = ControlPlaneCpu.of(cluster);
      double seconds = complete(new Wave("Job controller", cluster, "", 0));
      report.line("  CPU seconds: " + text(cpu.seconds()));
      return seconds;
    }
  }

  private static String text(SortedMap<String, Double> seconds) {
    StringBuilder text = new StringBuilder();
    seconds.forEach(
        (name, used) -> text.append(String.format(Locale.ROOT, " %s %.1f", name, used)));
    return text.toString().strip();
  }

  /** Seconds from the first create until all Jobs of the wave are Complete. */
  private double complete(Wave wave) throws IOException, InterruptedException {
    LocalCluster cluster = wave.cluster();
    Instant start = Instant.now();
    List<CompletableFuture<Void>> clients = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      Path file = manifests(client, wave);
      clients.add(
          CompletableFuture.runAsync(
              () -> cluster.kubectl("create", "--validate=false", "-f", file.toString())));
    }
    clients.forEach(CompletableFuture::join);
    double created = seconds(start);
    Waiting.until(
        "all Jobs are Complete", PATIENCE, () -> ended(cluster).size() == wave.first() + jobs);
    List<Instant> ends = ended(cluster).subList(wave.first(), wave.first() + jobs);
    double all = Duration.between(start, ends.getLast()).toMillis() / 1000.0;
    report.format(
        "%-16s %,d Jobs: created after %.1f s, first Complete %.0f s, half %.0f s, all %.0f s",
        wave.who(),
        jobs,
        created,
        Duration.between(start, ends.getFirst()).toMillis() / 1000.0,
        Duration.between(start, ends.get(jobs / 2)).toMillis() / 1000.0,
        all);
    return all;
  }

  private static double seconds(Instant since) {
    return Duration.between(since, Instant.now()).toMillis() / 1000.0;
  }

  /** Completion times of the Jobs that have one, in order. */
  private static List<Instant> ended(LocalCluster cluster) {
    String times =
        cluster.kubectl(
            "-n",
            NAMESPACE,
            "get",
            "jobs",
            "-o",
            "jsonpath={range .items[*]}{.status.completionTime}{\"\\n\"}{end}");
    return SECOND
        .matcher(times)
        .results()
        .map(MatchResult::group)
        .map(Instant::parse)
        .sorted()
        .toList();
  }

  private Path manifests(int client, Wave wave) throws IOException {
    StringBuilder all = new StringBuilder();
    for (int i = client; i < jobs; i += CLIENTS) {
      all.append(
          """
          ---
          apiVersion: batch/v1
          kind: Job
          metadata: {namespace: %s, name: train-%d}
          spec:
          %s  template:
              metadata:
                annotations: {sim.fairlead.dev/run-for: 1s}
              spec:
                restartPolicy: Never
                containers:
                - name: train
                  image: registry.example.com/train:1
                  resources: {limits: {nvidia.com/gpu: 1, memory: 1Gi}, requests: {cpu: 500m}}
          """
              .formatted(NAMESPACE, wave.first() + i, wave.managedBy()));
    }
    Path file = Files.createTempFile("bench-front", ".yaml");
    file.toFile().deleteOnExit();
    return Files.writeString(file, all);
  }
}
