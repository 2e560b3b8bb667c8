package dev.fairlead.bench.engine;

import dev.fairlead.bench.CoreTime;
import dev.fairlead.placement.Decision;
import dev.fairlead.placement.Plan;
import dev.fairlead.world.World;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.Collection;
import java.util.Locale;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * {@code make bench-engine}: time of a plan from JMH (the best tells most on a busy machine), the
 * heap that world and plan take, and the time of one core, which a busy machine does not lengthen.
 */
public final class EngineMain {
  private static final PrintStream OUT = System.out;
  private static final int MIB = 1 << 20;
  private static final int ROUNDS = 10;

  private EngineMain() {}

  public static void main(String[] args) throws RunnerException {
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .include(EngineBench.class.getName())
                    .verbosity(VerboseMode.SILENT)
                    .build())
            .run();
    for (RunResult result : results) {
      String name = result.getPrimaryResult().getLabel();
      OUT.printf(
          Locale.ROOT,
          "%-12s %10.2f ms +- %.2f, best %.2f%n",
          name,
          result.getPrimaryResult().getScore(),
          result.getPrimaryResult().getScoreError(),
          result.getPrimaryResult().getStatistics().getMin());
    }
    for (EngineWorlds each : EngineWorlds.values()) {
      heap(each);
    }
  }

  private static void heap(EngineWorlds which) {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    memory.gc();
    long before = memory.getHeapMemoryUsage().getUsed();
    World world = which.make();
    long best = Long.MAX_VALUE;
    Plan plan = EngineBench.plan(world);
    for (int round = 0; round < ROUNDS; round++) {
      CoreTime time = new CoreTime();
      time.go();
      plan = EngineBench.plan(world);
      time.stop();
      best = Math.min(best, time.nanos());
    }
    memory.gc();
    long used = memory.getHeapMemoryUsage().getUsed() - before;
    long placed = plan.decisions().stream().filter(Decision.Place.class::isInstance).count();
    OUT.printf(
        Locale.ROOT,
        "%-12s one core %8.2f ms, world and plan %5d MiB, %d of %d jobs placed, %d explanations%n",
        which.name().toLowerCase(Locale.ROOT),
        best / 1e6,
        used / MIB,
        placed,
        world.pending().size(),
        plan.explanations().size());
  }
}
