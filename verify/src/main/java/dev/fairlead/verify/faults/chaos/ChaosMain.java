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
  private final Arena arena;
  private final Report report;
  private final Random random;
  private final Belongings belongings;
  private final Figures figures = new Figures();
  private final History history = new History();
  private final List<String> wrong = new ArrayList<>();
  private final long started = System.nanoTime();

  private ChaosMain(ChaosArguments arguments, Arena arena, Report report) {
    this.report = report;
    this.arguments = arguments;
    this.arena = arena;
    this.random = new Random(arguments.seed());
    this.belongings = new Belongings(arena);
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
              try (Arena arena = Arena.start(arguments, first)) {
                report.require(new ChaosMain(arguments, arena, report).run());
              }
            });
  }

  private boolean run() throws InterruptedException, SQLException {
    try (Client client = new Client(arena.replicas(), history);
        Follower follower = new Follower(arena.replicas(), arguments.seed())) {
      arena.register(client, random);
      follower.start();
      belongings.make(client, random);
      say("two replicas, two control planes and PostgreSQL are up, seed " + arguments.seed());
      Customers customers = new Customers(client, history, arguments);
      customers.start();
      if (arguments.older().isEmpty()) {
        trouble(customers);
      } else {
        new OtherVersion(arena, customers, arguments).thereAndBack(this::say);
      }
      customers.finish();
      say("every submit is answered, " + history.repeats() + " requests were sent again");
      awaitEnd();
      wrong.addAll(follower.wrong(arena.postgres()));
      say("the event stream was cut " + follower.cuts() + " times");
    }
    account("when all had ended");
    wrong.addAll(belongings.wrong());
    wrong.addAll(new Verdict(arena.postgres()).wrong(history, arguments.submits()));
    for (Replica replica : arena.replicas()) {
      replica.awaitReady(); // a starting process ends after its start
      figures.add("SIGTERM to exit", replica.terminate());
    }
    audit();
    return report();
  }

  private void trouble(Customers customers) throws InterruptedException, SQLException {
    List<Fault> plan =
        arguments.production()
            ? Collections.nCopies(arguments.kills(), Fault.KILL_REPLICA)
            : Fault.plan(arguments.kills(), random);
    Troublemaker troublemaker = new Troublemaker(arena, customers, figures, random);
    Accounts accounts = new Accounts(arena.postgres());
    for (Fault fault : plan) {
      customers.allow(arguments.submits() / plan.size());
      Thread.sleep(200 + random.nextInt(1_000)); // faults occur during requests, not before them
      troublemaker.carryOut(fault);
      for (Replica replica : arena.replicas()) {
        replica.mustRun();
      }
      accounts.wrong().forEach(found -> wrong.add(found + " after " + fault));
      if (arguments.production() && troublemaker.takeover().compareTo(LONGEST_TAKEOVER) > 0) {
        wrong.add("no process took over for " + troublemaker.takeover());
      }
      say(fault + " done, " + history.told().size() + " jobs acknowledged");
    }
  }

  private void awaitEnd() throws InterruptedException {
    Verdict verdict = new Verdict(arena.postgres());
    try {
      figures.add("last response to the end of every job", verdict.awaitEnd());
    } catch (IllegalStateException late) {
      wrong.add(late.getMessage() + ": " + verdict.open());
    }
  }

  private void account(String when) throws SQLException {
    new Accounts(arena.postgres()).wrong().forEach(found -> wrong.add(found + " " + when));
  }

  private void audit() {
    AuditTrail trail = new AuditTrail();
    arena.clusters().forEach(cluster -> trail.read(cluster.name(), cluster.auditLog()));
    wrong.addAll(trail.wrong());
    say("the audit logs tell of " + trail.created() + " pods");
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
