package dev.fairlead.verify.engine;

import dev.fairlead.verify.CoreTime;
import dev.fairlead.verify.Program;
import dev.fairlead.verify.Report;
import dev.fairlead.work.placement.CycleCache;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.World;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * {@code make bench-engine}: time of a plan from JMH (median, mean, best), then for each snapshot
 * the median CPU time, which a busy machine affects little, and the heap of snapshot and plan, with
 * the floor. {@code --quick} skips JMH and runs fewer rounds. Exits with 0 when the floors hold, 1
 * when not.
 */
public final class EngineMain {
  private static final int MIB = 1 << 20;
  private static final int ROUNDS = 15;
  private static final int QUICK_ROUNDS = 5;

  private final Report report;

  private EngineMain(Report report) {
    this.report = report;
  }

  public static void main(String[] args) {
    Program.of("bench-engine", "times and heap of whole plans")
        .option("quick", "1: without JMH, and fewer rounds")
        .measure(
            args,
            (arguments, report) -> {
              EngineMain bench = new EngineMain(report);
              boolean quick = arguments.has("quick");
              if (!quick) {
                bench.jmh();
              }
              for (EngineWorlds each : EngineWorlds.values()) {
                report.require(bench.measure(each, quick ? QUICK_ROUNDS : ROUNDS));
              }
            });
  }

  private void jmh() throws RunnerException {
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .include(EngineBench.class.getName())
                    .verbosity(VerboseMode.SILENT)
                    .build())
            .run();
    for (RunResult result : results) {
      String name = result.getPrimaryResult().getLabel();
      report.format(
          "%-18s median %8.2f ms, mean %8.2f +- %.2f, best %8.2f",
          name,
          result.getPrimaryResult().getStatistics().getPercentile(50),
          result.getPrimaryResult().getScore(),
          result.getPrimaryResult().getScoreError(),
          result.getPrimaryResult().getStatistics().getMin());
    }
  }

  /** Returns whether the floor is met. */
  private boolean measure(EngineWorlds which, int rounds) {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    long before = memory.getHeapMemoryUsage().getUsed();
    World first = which.before();
    World world = which.after(first);
    long[] nanos = new long[rounds];
    Plan plan = EngineBench.plan(world);
    for (int round = -rounds; round < rounds; round++) {
      CycleCache kept = new CycleCache();
      if (which == EngineWorlds.AFTER_100_CHANGES) {
        EngineBench.plan(first, kept);
      }
      CoreTime time = new CoreTime();
      time.go();
      plan = EngineBench.plan(world, kept);
      time.stop();
      nanos[Math.max(0, round)] = time.nanos();
    }
    Arrays.sort(nanos);
    memory.gc();
    long used = memory.getHeapMemoryUsage().getUsed() - before;
    return print(which, world, plan, nanos, used);
  }

  private boolean print(EngineWorlds which, World world, Plan plan, long[] sorted, long heap) {
    long placed = plan.decisions().stream().filter(Decision.Place.class::isInstance).count();
    double millis = sorted[sorted.length / 2] / 1e6;
    double perSecond = plan.decisions().size() / (millis / 1e3);
    boolean met = millis <= which.mostMillis() && perSecond >= which.leastPerSecond();
    report.format(
        "%-18s one core %8.2f ms (best %.2f), %,9.0f decisions/s, floor %s %s; world and plan %4d"
            + " MiB, %d of %d jobs placed, %d explanations",
        which.name().toLowerCase(Locale.ROOT),
        millis,
        sorted[0] / 1e6,
        perSecond,
        which.leastPerSecond() > 0
            ? which.leastPerSecond() + " decisions/s"
            : which.mostMillis() + " ms",
        met ? "met" : "MISSED",
        heap / MIB,
        placed,
        world.pending().size(),
        plan.explanations().size());
    return met;
  }
}
