package dev.fairlead.verify.faults.restore;

import dev.fairlead.launcher.FairleadApi;
import dev.fairlead.launcher.LoopbackPorts;
import dev.fairlead.launcher.StartFailed;
import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.Waiting;
import dev.fairlead.verify.faults.chaos.ControlPlane;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * {@code make restore-test}: PostgreSQL and the service are lost while the cluster continues. The
 * database is restored to a point in time, and the cluster's audit log decides about the result.
 * Exits with 0 if all checks passed and the control was caught, otherwise with 1.
 *
 * <p>The control restores the same backup again with a cluster without traces of any database. The
 * service then acts without an operator's confirmation, and the same checks must detect that.
 */
public final class RestoreRun implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int NODES = 4;

  /** Time in which a service that acts on a restored state would have acted. */
  private static final Duration LOOK = Duration.ofSeconds(10);

  private final long started = System.nanoTime();
  private final Path scratch = WorkTree.scratch("restore-test");
  private final LoopbackPorts ports = LoopbackPorts.any();
  private final List<String> wrong = new ArrayList<>();
  private final Cluster cluster;
  private final Report report;
  private final ArchivedServer server;

  private RestoreRun(Cluster cluster, ArchivedServer server, Report report) {
    this.report = report;
    this.cluster = cluster;
    this.server = server;
  }

  public static void main(String[] args) {
    Program.of("restore-test", "loses the database while the cluster continues, and restores it")
        .run(
            args,
            (arguments, report) -> {
              try (RestoreRun test = start(report)) {
                report.require(test.run());
              }
            });
  }

  private static RestoreRun start(Report report)
      throws SQLException, IOException, InterruptedException {
    Cluster cluster = new Cluster(ControlPlane.start("restore", NODES));
    try {
      return new RestoreRun(cluster, archived(report), report);
    } catch (RuntimeException | SQLException | IOException | InterruptedException failed) {
      cluster.close();
      throw failed;
    }
  }

  /** Uses barman-cloud if it is available. */
  private static ArchivedServer archived(Report report)
      throws SQLException, IOException, InterruptedException {
    try {
      return ArchivedServer.start(BarmanArchive::start);
    } catch (BarmanArchive.Unavailable missing) {
      if ("true".equals(System.getenv("CI"))) {
        throw new StartFailed(String.valueOf(missing.getMessage()));
      }
      report.line("        " + missing.getMessage());
    }
    try {
      return ArchivedServer.start(CopiedArchive::new);
    } catch (BarmanArchive.Unavailable none) {
      throw new IllegalStateException(none);
    }
  }

  /** End of the restored state, and time of the loss of everything else. */
  private record Loss(Instant point, Instant lost, List<Cluster.Pod> running) {}

  private boolean run() throws SQLException, IOException, InterruptedException {
    RestoreJobs jobs;
    Loss loss;
    try (RestoredService before = service("before")) {
      register(before.api());
      say("archive by " + server.archive());
      say("base backup of " + server.backUp() + " MiB while the service runs");
      RestoreJobs known = RestoreJobs.before(before.api(), cluster.name());
      Instant point = server.now();
      say("point in time: 4 jobs will continue, 2 end soon, 1 will be cancelled, 1 is pending");
      jobs = known.goOn(before.api(), cluster.name());
      server.awaitArchived();
      loss = new Loss(point, server.now(), jobs.lasting(cluster.pods()));
      before.kill();
      server.lose();
    }
    say(
        "lost: service and PostgreSQL are killed %.0f s later, %d files of the log are in the archive"
            .formatted(seconds(loss.point(), loss.lost()), server.archivedFiles()));
    awaitEnds(jobs);
    Duration restored = restore(loss);
    try (RestoredService after = service("after")) {
      onlyReported(after, jobs, loss);
      Duration acting = raise(after.api(), jobs);
      figure("recovery time: restore", seconds(restored));
      figure("recovery time: start of the service until it is ready", seconds(after.start()));
      figure("recovery time: raised incarnation until the cluster is ACTIVE", seconds(acting));
      adopted(after.api(), jobs, loss);
      byHand(after.api(), jobs);
      after.kill();
    }
    wrong.addAll(cluster.twice());
    wrong.forEach(found -> report.line("WRONG " + found));
    boolean caught = control(jobs, loss);
    report.line(
        "restore-test: "
            + (wrong.isEmpty()
                ? "nothing ran twice, nothing was ended"
                : wrong.size() + " findings"));
    return wrong.isEmpty() && caught;
  }

  private RestoredService service(String name) throws InterruptedException {
    return RestoredService.start(server, scratch, name, ports);
  }

  private void register(FairleadApi api) throws InterruptedException {
    api.post(
        "/clusters",
        JsonNodeFactory.instance
            .objectNode()
            .put("name", cluster.name())
            .put("kubeconfig", cluster.kubeconfig()));
    Waiting.until("the cluster is ACTIVE", PATIENCE, () -> state(api).equals("ACTIVE"));
  }

  private JsonNode row(FairleadApi api) {
    return api.get("/clusters/" + cluster.name());
  }

  private String state(FairleadApi api) {
    return row(api).path("state").asString();
  }

  private void awaitEnds(RestoreJobs jobs) throws InterruptedException {
    Waiting.until(
        "jobs end on the cluster alone",
        PATIENCE,
        () ->
            cluster.pods().stream().filter(pod -> pod.phase().equals("Succeeded")).count()
                == jobs.finishes().size());
    say("the cluster continued to run: %d jobs ended there".formatted(jobs.finishes().size()));
  }

  private Duration restore(Loss loss) throws IOException, InterruptedException {
    Duration took = server.restore("restored", loss.point(), LoopbackPorts.anyPort());
    Instant last = server.lastCommit();
    say("restored up to the commit of " + last);
    figure(
        "recovery point: last commit to the requested point in time", seconds(last, loss.point()));
    figure("recovery point: last commit to the loss", seconds(last, loss.lost()));
    return took;
  }

  /** Checks that nothing changes on the cluster, and that each difference is reported. */
  private void onlyReported(RestoredService after, RestoreJobs jobs, Loss loss)
      throws InterruptedException {
    FairleadApi api = after.api();
    int differ = jobs.later().size() + 2;
    Duration seen =
        Waiting.until(
            "the cluster is only reported",
            PATIENCE,
            () -> {
              String trouble = row(api).path("trouble").asString("");
              return trouble.startsWith("only reported")
                  && trouble.contains(differ + " attempts differ");
            });
    Waiting.until("each is named", PATIENCE, () -> after.divergences().size() >= differ);
    Thread.sleep(LOOK);
    figure("recovery time: ready until every difference is counted", seconds(seen));
    say("each difference of the cluster is only reported:");
    after.divergences().forEach(line -> report.line("          " + line));
    report.line(
        "          lost after their 201: " + jobs.later().size() + " jobs; a cancel, a start");
    expect("differences", differ, after.divergences().size());
    cluster
        .changesSince(loss.lost())
        .forEach(change -> wrong.add("changed before the operator's order: " + change));
  }

  private Duration raise(FairleadApi api, RestoreJobs jobs) throws InterruptedException {
    /* The cluster runs a pod of an attempt that is not stored, so the job must not start again. */
    api.post("/jobs/" + jobs.waits() + "/suspend");
    api.postIfMatch("/installation/raise-incarnation", "/installation");
    Duration took =
        Waiting.until("the cluster is ACTIVE", PATIENCE, () -> state(api).equals("ACTIVE"));
    say("incarnation raised: the cluster is acted on");
    return took;
  }

  /**
   * Checks that running attempts are adopted, ended ones are recorded, and no unknown attempt was
   * ended.
   */
  private void adopted(FairleadApi api, RestoreJobs jobs, Loss loss) throws InterruptedException {
    RestoreJobs.reach(api, jobs.finishes(), "SUCCEEDED");
    RestoreJobs.reach(api, jobs.stays(), "RUNNING");
    for (String job : Stream.concat(jobs.stays().stream(), jobs.finishes().stream()).toList()) {
      expect("attempts of " + job, 1, RestoreJobs.attempts(api, job));
    }
    Set<String> now = cluster.pods().stream().map(Cluster.Pod::uid).collect(Collectors.toSet());
    loss.running().stream()
        .filter(pod -> !now.contains(pod.uid()))
        .forEach(pod -> wrong.add("pod " + pod.name() + " was ended"));
    say(
        "4 jobs are adopted while running, 2 are SUCCEEDED, and processes unknown to the database"
            + " continue");
  }

  /** Repeats the changes that only their authors know. */
  private void byHand(FairleadApi api, RestoreJobs jobs) throws InterruptedException {
    cluster.pods().stream().filter(pod -> jobs.waits().endsWith(pod.job())).forEach(cluster::end);
    RestoreJobs.confirmDead(api, jobs.fills());
    Waiting.until(
        "the job whose cancellation is lost runs again",
        PATIENCE,
        () -> RestoreJobs.attempts(api, jobs.fills()) == 2);
    RestoreJobs.reach(api, List.of(jobs.fills()), "RUNNING");
    api.post("/jobs/" + jobs.fills() + "/cancel");
    RestoreJobs.reach(api, List.of(jobs.fills()), "CANCELLED");
    api.post("/jobs/" + jobs.waits() + "/resume");
    RestoreJobs.reach(api, List.of(jobs.waits()), "RUNNING");
    say(
        "by hand: an unknown attempt is ended and its job resumed, a missing attempt is"
            + " confirmed dead");
    report.line("          and retried, and its lost cancellation is repeated");
  }

  /**
   * Returns whether the checks detect a restore that ignores the documented steps: the cluster has
   * no traces, and the pending job gets the capacity of a missing attempt that still runs.
   */
  private boolean control(RestoreJobs jobs, Loss loss) throws IOException, InterruptedException {
    server.lose();
    server.restore("control", loss.point(), LoopbackPorts.anyPort());
    cluster.forget();
    Instant since = Instant.now();
    try (RestoredService control = service("control")) {
      RestoreJobs.confirmDead(control.api(), jobs.fills());
      Waiting.until(
          "both checks detect the control",
          PATIENCE,
          () -> !cluster.changesSince(since).isEmpty() && !cluster.twice().isEmpty());
      control.kill();
    }
    say(
        "control: restored again with the cluster's watermark removed, no job is suspended."
            + " Found:");
    report.line(
        "          "
            + cluster.changesSince(since).size()
            + " changes without the operator's order");
    cluster.twice().forEach(found -> report.line("          " + found));
    return true;
  }

  private void expect(String what, int expected, int found) {
    if (expected != found) {
      wrong.add(what + ": expected " + expected + ", found " + found);
    }
  }

  private void figure(String what, double value) {
    report.line(String.format(Locale.ROOT, "figure  %-60s %8.1f s", what, value));
  }

  private static double seconds(Instant from, Instant to) {
    return seconds(Duration.between(from, to));
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }

  private void say(String what) {
    long seconds = Duration.ofNanos(System.nanoTime() - started).toSeconds();
    report.line("%4d s  %s".formatted(seconds, what));
  }

  @Override
  public void close() {
    server.close();
    cluster.close();
  }
}
