package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.verify.Arguments;
import dev.fairlead.verify.CoreTime;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.work.spec.GangRepairSpec;
import java.time.Duration;

/**
 * A large training run with its published failures, and the same seed with gang repair and without
 * any repair. Options of {@code make fleet-replay}. An empty value means an omitted option. Exits
 * with 1 when a job without a fault was stopped or the breaker did not hold, 2 for invalid
 * arguments.
 */
public final class FleetMain {
  private static final int STORM = 40;
  private static final int REPLACED = 20;
  private static final int MOST_QUARANTINED = 50;
  private final Arguments arguments;
  private final Report report;

  private FleetMain(Arguments arguments, Report report) {
    this.arguments = arguments;
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("fleet-replay", "simulates a large training run with published failure rates")
        .option("gpus", "GPUs of the fleet, by default 16384")
        .option("hours", "simulated hours, by default 24")
        .option("checkpoint", "time between checkpoints, by default 15m")
        .option("spares", "nodes that the gang does not use")
        .option("seed", "seed, by default 1")
        .option("controls", "1: also run without the protections of Fairlead")
        .option("gang-repair", "members that may be replaced, as an additional run")
        .option(
            "resume",
            "time between the last start and the next step of a repaired gang, by default 8s")
        .run(
            args,
            (arguments, report) -> {
              Program.quiet();
              report.require(new FleetMain(arguments, report).run());
            });
  }

  private boolean run() {
    int gpus = number("gpus", FailureKind.GPUS);
    int nodes = gpus / FleetPlan.GPUS_PER_NODE;
    FleetPlan plan =
        FleetPlan.of(
            gpus,
            Duration.ofHours(number("hours", 24)),
            arguments.duration("checkpoint", Duration.ofMinutes(15)),
            number("spares", Math.max(1, nodes * 40 / 2048)),
            number("seed", 1));
    boolean controls = arguments.has("controls");
    int replaces = arguments.number("gang-repair", controls ? REPLACED : 0, 0, GangRepairSpec.MOST);
    Duration resume = arguments.duration("resume", Duration.ofSeconds(8));
    boolean good = played("replay", plan);
    if (replaces > 0) {
      FleetPlan repaired = plan.withReplaces(replaces).withResume(resume);
      good &= played("gang repair", repaired);
      good &= played("gang repair, new members start immediately", repaired.withWarm(true));
    }
    if (controls) {
      good &= played("no spares", plan.withKeepsSpares(false));
      good &= played("no fault reservations", plan.withKeepsPlaces(false));
      good &= played("neither", plan.withKeepsSpares(false).withKeepsPlaces(false));
      good &= played("retries of a job that says nothing", plan.withRetries(0));
      good &= played("storm of " + STORM + " % of the nodes", plan.withStorm(STORM));
    }
    return good;
  }

  private boolean played(String title, FleetPlan plan) {
    CoreTime cores = new CoreTime();
    long began = System.nanoTime();
    cores.go();
    FleetRecord record = FleetReplay.run(plan);
    cores.stop();
    report.line(record.text(title).stripTrailing());
    report.format(
        "  played in %.1f s, %.1f s of them on a core",
        seconds(System.nanoTime() - began), seconds(cores.nanos()));
    return record.stoppedOutside() == 0 && record.mostQuarantined() <= MOST_QUARANTINED;
  }

  private static double seconds(long nanos) {
    return Duration.ofNanos(nanos).toMillis() / 1000.0;
  }

  private int number(String name, int absent) {
    return arguments.number(name, absent, 0, 999_999);
  }
}
