package dev.fairlead.bench.engine;

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

/** {@code make bench-engine}: time of a plan from JMH, and the heap that world and plan take. */
public final class EngineMain {
  private static final PrintStream OUT = System.out;
  private static final int MIB = 1 << 20;

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
          "%-12s %10.2f ms +- %.2f%n",
          name,
          result.getPrimaryResult().getScore(),
          result.getPrimaryResult().getScoreError());
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
    Plan plan = EngineBench.plan(world);
    memory.gc();
    long used = memory.getHeapMemoryUsage().getUsed() - before;
    long placed = plan.decisions().stream().filter(Decision.Place.class::isInstance).count();
    OUT.printf(
        Locale.ROOT,
        "%-12s world and plan %5d MiB, %d of %d jobs placed, %d explanations%n",
        which.name().toLowerCase(Locale.ROOT),
        used / MIB,
        placed,
        world.pending().size(),
        plan.explanations().size());
  }
}
