package dev.fairlead.verify.simulation.fleet;

import dev.fairlead.fleet.node.Node;
import dev.fairlead.kernel.resources.CapacityType;
import dev.fairlead.verify.Arguments;
import dev.fairlead.verify.BadInput;
import dev.fairlead.verify.CoreTime;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.SharedFolder;
import dev.fairlead.verify.engine.timelapse.trace.Arrival;
import dev.fairlead.verify.engine.timelapse.trace.Trace;
import dev.fairlead.verify.engine.timelapse.trace.Traces;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A public trace on three clusters, compared between policies. Options of {@code make pool-replay}.
 * An empty value means an omitted option. Exits with 1 when a law does not hold, 2 for invalid
 * arguments or files.
 */
public final class PoolMain {
  private static final String PRICES = "1.10/2.49/1.40,1.90/2.49/0.90";
  private final Arguments arguments;
  private final Report report;

  private PoolMain(Arguments arguments, Report report) {
    this.arguments = arguments;
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("pool-replay", "replays a public trace on three clusters under several policies")
        .option("trace", "philly, openb or tiresias")
        .option("file", "another list of jobs")
        .option("nodes", "another list of nodes")
        .option("from", "skipped jobs")
        .option("most", "jobs at most, by default 500")
        .option("shrink", "uses each n-th node, by default 16")
        .option("hours", "hours of the trace")
        .option("max-run", "longest run, by default 12h")
        .option("prices", "a GPU-hour as reserved/on-demand/spot, with commas between sets")
        .option("spot-after", "wait before spot, by default 2m")
        .option("on-demand-after", "wait before on-demand, by default 10m")
        .option("reclaimed", "mean time until a spot node is reclaimed, by default 24h")
        .option("seed", "seed, by default 1")
        .run(
            args,
            (arguments, report) -> {
              Program.quiet();
              report.require(new PoolMain(arguments, report).run());
            });
  }

  private boolean run() {
    String name = arguments.some("trace", List.of("philly", "openb", "tiresias")).getFirst();
    Trace trace =
        smaller(
            Traces.read(
                name,
                SharedFolder.traces(),
                arguments.path("file").orElse(null),
                arguments.path("nodes").orElse(null)));
    boolean good = true;
    String sets = arguments.text("prices").isEmpty() ? PRICES : arguments.text("prices");
    for (String set : sets.split(",")) {
      PoolPlan plan =
          PoolPlan.of(
              trace,
              prices(set),
              arguments.duration("spot-after", Duration.ofMinutes(2)),
              arguments.duration("on-demand-after", Duration.ofMinutes(10)),
              arguments.duration("reclaimed", Duration.ofHours(24)),
              number("seed", 1));
      good &= played(trace.name(), plan);
    }
    return good;
  }

  private boolean played(String trace, PoolPlan plan) {
    CoreTime cores = new CoreTime();
    cores.go();
    List<PoolRecord> records =
        Arrays.stream(PoolPolicy.values()).map(policy -> PoolReplay.run(plan, policy)).toList();
    cores.stop();
    long hours = records.stream().mapToLong(PoolRecord::hours).max().orElse(0);
    report.format(
        "%s, seed %d: %d jobs (%d more are too large), %d reserved, %d on-demand and %d spot GPUs,"
            + " %d h",
        trace,
        plan.seed(),
        plan.jobs().size(),
        plan.leftOut(),
        plan.gpus(CapacityType.RESERVED),
        plan.gpus(CapacityType.ON_DEMAND),
        plan.gpus(CapacityType.SPOT),
        hours);
    report.format(
        "a GPU-hour: reserved %s, on-demand %s, spot %s",
        plan.prices().reserved().text(),
        plan.prices().onDemand().text() + " (later " + plan.prices().later().text() + ")",
        plan.prices().spot().text());
    report.line(PoolRecord.heading());
    boolean good = true;
    for (PoolRecord record : records) {
      report.line(record.row(hours));
      report.line(record.bought());
      List<String> broken = record.broken();
      broken.stream().limit(10).forEach(line -> report.line("  BROKEN: " + line));
      good &= broken.isEmpty();
    }
    report.format("played in %.1f s of one core%n", cores.nanos() / 1e9);
    return good;
  }

  private Trace smaller(Trace trace) {
    int shrink = Math.max(1, number("shrink", 16));
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < trace.nodes().size(); i += shrink) {
      nodes.add(trace.nodes().get(i));
    }
    long until = Duration.ofHours(number("hours", 999_999)).toSeconds();
    List<Arrival> all =
        trace.jobs().stream()
            .filter(job -> job.gpuMilli() > 0)
            .skip(number("from", 0))
            .limit(Math.max(1, number("most", 500)))
            .toList();
    if (all.isEmpty()) {
      throw new BadInput("FROM: the trace has only " + trace.jobs().size() + " jobs");
    }
    long longest = arguments.duration("max-run", Duration.ofHours(12)).toSeconds();
    long begin = all.getFirst().submitted();
    List<Arrival> jobs =
        all.stream()
            .filter(job -> job.submitted() - begin < until)
            .map(job -> job.since(begin).atMost(longest))
            .toList();
    return new Trace(trace.name(), nodes, trace.weights(), jobs);
  }

  private static PoolPlan.Prices prices(String set) {
    String[] each = set.split("/", -1);
    if (each.length != 3
        || !Arrays.stream(each).allMatch(p -> p.matches("[0-9]{1,3}(\\.[0-9]{1,3})?"))) {
      throw new BadInput(
          "PRICES: expected reserved/on-demand/spot such as 1.10/2.49/0.90, with commas between"
              + " sets, found \""
              + set
              + "\"");
    }
    long[] milli =
        Arrays.stream(each).mapToLong(p -> Math.round(Double.parseDouble(p) * 1000)).toArray();
    return PoolPlan.Prices.of(milli[0], milli[1], milli[2]);
  }

  private int number(String name, int absent) {
    return arguments.number(name, absent, 0, 999_999);
  }
}
