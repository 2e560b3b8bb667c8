package dev.fairlead.verify.simulation;

import dev.fairlead.verify.Arguments;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.verify.simulation.Simulation.Trouble;
import dev.fairlead.verify.simulation.world.Fault;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * {@code --minutes n} runs seeds for n minutes, by default one. {@code --seed n} replays one and
 * prints its end. {@code --restarts n} replays one without faults, then with a restart after every
 * event, and prints the end of the second run and the differences. {@code --from-seed n} is the
 * first seed. An empty value counts as a missing option. Exits with 1 when an invariant broke, 2
 * for invalid arguments.
 */
public final class SimulationMain {
  private static final int SHOWN = 120;
  private static final int MOST = 999_999_999;

  private final Report report;

  private SimulationMain(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of(
            "sim",
            "simulates the whole system with faults, and checks its invariants after each event")
        .option("seed", "replays one seed and prints its last events")
        .option("restarts", "replays one seed without faults, then with a restart after each event")
        .option("minutes", "duration of the run, by default 1")
        .option("from-seed", "first seed, by default 1")
        .run(
            args,
            (arguments, report) -> {
              Program.quiet();
              SimulationMain main = new SimulationMain(report);
              if (!arguments.text("restarts").isEmpty()) {
                report.require(main.restarts(number(arguments, "restarts")));
              } else if (!arguments.text("seed").isEmpty()) {
                report.require(main.one(number(arguments, "seed")));
              } else {
                Duration wall = Duration.ofMinutes(number(arguments, "minutes"));
                report.require(main.many(number(arguments, "from-seed"), wall));
              }
            });
  }

  /** One where it is not given. */
  private static long number(Arguments arguments, String name) {
    return arguments.number(name, 1, 0, MOST);
  }

  private boolean one(long seed) {
    return shown(Simulation.run(seed, Set.of(), true));
  }

  private boolean restarts(long seed) {
    Simulation.Result calm = Simulation.run(seed, Trouble.NONE, Set.of(), false);
    Simulation.Result restarted = Simulation.run(seed, Trouble.RESTARTS, Set.of(), true);
    boolean good = shown(restarted) && calm.failure() == null;
    report.line(
        restarted.restarts()
            + " restarts, without them: "
            + Objects.toString(calm.failure(), "held"));
    Set<String> names = new TreeSet<>(calm.outcomes().keySet());
    names.addAll(restarted.outcomes().keySet());
    for (String name : names) {
      String without = calm.outcomes().get(name);
      String with = restarted.outcomes().get(name);
      good &= Objects.equals(without, with);
      report.line(
          name
              + ": "
              + without
              + (Objects.equals(without, with) ? "" : ", with restarts: " + with));
    }
    return good;
  }

  private boolean shown(Simulation.Result result) {
    int skip = Math.max(0, result.trace().size() - SHOWN);
    result.trace().stream().skip(skip).forEach(report::line);
    report.line(
        "seed %d: %d events, %s simulated, faults %s"
            .formatted(result.seed(), result.events(), result.simulated(), result.faults()));
    Throwable failure = result.failure();
    if (failure != null) {
      failure.printStackTrace(System.out);
    }
    return failure == null;
  }

  private boolean many(long from, Duration wall) {
    long end = System.nanoTime() + wall.toNanos();
    Map<Fault, Integer> faults = new EnumMap<>(Fault.class);
    Duration simulated = Duration.ZERO;
    long events = 0;
    long checks = 0;
    long jobs = 0;
    int failed = 0;
    long seed = from;
    for (; System.nanoTime() < end; seed++) {
      Simulation.Result result = Simulation.run(seed);
      result.faults().forEach((fault, n) -> faults.merge(fault, n, Integer::sum));
      simulated = simulated.plus(result.simulated());
      events += result.events();
      checks += result.checks();
      jobs += result.jobs();
      Throwable failure = result.failure();
      if (failure != null) {
        failed++;
        String text = failure.toString();
        report.line(
            "seed %d event %d: %s"
                .formatted(seed, result.events(), text.substring(0, Math.min(300, text.length()))));
        report.line("  replay with: make sim SEED=" + seed);
      }
    }
    report.line(
        "seeds %d to %d, %.1f simulated hours, %,d events, %,d jobs, %,d invariant checks"
            .formatted(from, seed - 1, simulated.toMillis() / 3.6e6, events, jobs, checks));
    report.line("faults " + faults);
    report.line(failed == 0 ? "every invariant held" : failed + " seeds failed");
    return failed == 0;
  }
}
