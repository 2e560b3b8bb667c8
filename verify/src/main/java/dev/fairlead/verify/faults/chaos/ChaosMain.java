package dev.fairlead.verify.faults.chaos;

import dev.fairlead.launcher.WorkTree;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * {@code make chaos}: injects faults one after the other while clients submit, then checks the
 * result. Exits with 0 without findings, 1 with findings, 2 for invalid arguments.
 */
public final class ChaosMain {
  private static final int MOST_LINES = 40;

  /** With leases of 30 s. */
  private static final Duration LONGEST_TAKEOVER = Duration.ofSeconds(45);

  private final ChaosArguments arguments;
  private final Installation installation;
  private final Report report;
  private final Random random;
  private final TenantResources resources;
  private final Figures figures = new Figures();
  private final History history = new History();
  private final List<String> wrong = new ArrayList<>();
  private final long started = System.nanoTime();

  private ChaosMain(ChaosArguments arguments, Installation installation, Report report) {
    this.report = report;
    this.arguments = arguments;
    this.installation = installation;
    this.random = new Random(arguments.seed());
    this.resources = new TenantResources(installation);
  }

  public static void main(String[] args) {
    Program.of("chaos", "injects faults while clients submit, then checks the result")
        .option("kills", "killed processes, by default 12")
        .option("submits", "submitted jobs, by default 1500")
        .option("chaos-seed", "seed of faults and jobs, by default 1")
        .option("leases", "production: leases as in production, and only replicas are killed")
        .option(
            "older",
            "folder of a built older version: an upgrade and a downgrade instead of faults")
        .run(
            args,
            (given, report) -> {
              ChaosArguments arguments = ChaosArguments.of(given);
              String first =
                  arguments.older().isEmpty()
                      ? WorkTree.serviceClasspath()
                      : OtherVersion.classpath(arguments.older());
              try (Installation installation = Installation.start(arguments, first)) {
                report.require(new ChaosMain(arguments, installation, report).run());
              }
            });
  }

  private boolean run() throws InterruptedException, SQLException {
    try (Client client = new Client(installation.replicas(), history);
        EventFollower follower = new EventFollower(installation.replicas(), arguments.seed())) {
      installation.register(client, random);
      follower.start();
      resources.make(client, random);
      say("two replicas, two control planes and PostgreSQL are up, seed " + arguments.seed());
      JobClients clients = new JobClients(client, history, arguments);
      clients.start();
      if (arguments.older().isEmpty()) {
        trouble(clients);
      } else {
        new OtherVersion(installation, clients, arguments).thereAndBack(this::say);
      }
      clients.finish();
      say("every submit is answered, " + history.repeats() + " requests were sent again");
      awaitEnd();
      wrong.addAll(follower.wrong(installation.postgres()));
      say("the event stream was cut " + follower.cuts() + " times");
    }
    account("when all had ended");
    wrong.addAll(resources.wrong());
    wrong.addAll(new Verdict(installation.postgres()).wrong(history, arguments.submits()));
    for (Replica replica : installation.replicas()) {
      replica.awaitReady(); // a starting process ends after its start
      figures.add("SIGTERM to exit", replica.terminate());
    }
    audit();
    return report();
  }

  private void trouble(JobClients clients) throws InterruptedException, SQLException {
    List<Fault> plan =
        arguments.production()
            ? Collections.nCopies(arguments.kills(), Fault.KILL_REPLICA)
            : Fault.plan(arguments.kills(), random);
    FaultInjector injector = new FaultInjector(installation, clients, figures, random);
    DatabaseInvariants invariants = new DatabaseInvariants(installation.postgres());
    for (Fault fault : plan) {
      clients.allow(arguments.submits() / plan.size());
      Thread.sleep(200 + random.nextInt(1_000)); // faults occur during requests, not before them
      injector.carryOut(fault);
      for (Replica replica : installation.replicas()) {
        replica.mustRun();
      }
      invariants.wrong().forEach(found -> wrong.add(found + " after " + fault));
      if (arguments.production() && injector.takeover().compareTo(LONGEST_TAKEOVER) > 0) {
        wrong.add("no process took over for " + injector.takeover());
      }
      say(fault + " done, " + history.told().size() + " jobs acknowledged");
    }
  }

  private void awaitEnd() throws InterruptedException {
    Verdict verdict = new Verdict(installation.postgres());
    try {
      figures.add("last response to the end of every job", verdict.awaitEnd());
    } catch (IllegalStateException late) {
      wrong.add(late.getMessage() + ": " + verdict.open());
    }
  }

  private void account(String when) throws SQLException {
    new DatabaseInvariants(installation.postgres())
        .wrong()
        .forEach(found -> wrong.add(found + " " + when));
  }

  private void audit() {
    AuditTrail trail = new AuditTrail();
    installation.clusters().forEach(cluster -> trail.read(cluster.name(), cluster.auditLog()));
    wrong.addAll(trail.wrong());
    say("the audit logs name " + trail.created() + " pods");
    if (trail.created() == 0) {
      wrong.add("the audit logs name no pod of ours: nothing was judged");
    }
  }

  private boolean report() {
    figures.lines().forEach(report::line);
    wrong.stream().limit(MOST_LINES).forEach(found -> report.line("WRONG " + found));
    wrong.stream()
        .skip(MOST_LINES)
        .collect(Collectors.groupingBy(ChaosMain::kind, TreeMap::new, Collectors.counting()))
        .forEach((kind, many) -> report.line("WRONG " + many + " more like: " + kind));
    report.line(
        "chaos: %d submits, %s, seed %d: %s"
            .formatted(
                history.told().size(),
                arguments.done(),
                arguments.seed(),
                wrong.isEmpty() ? "nothing lost, nothing twice" : wrong.size() + " findings"));
    return wrong.isEmpty();
  }

  /** A finding without its ids and numbers. */
  private static String kind(String found) {
    return found.replaceAll("\\S*\\d\\S*", "*").lines().findFirst().orElse("");
  }

  private void say(String what) {
    long seconds = Duration.ofNanos(System.nanoTime() - started).toSeconds();
    report.line("%4d s  %s".formatted(seconds, what));
  }
}
