package dev.fairlead.verify.engine;

import dev.fairlead.work.placement.CycleCache;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.SchedulingEngine;
import dev.fairlead.work.placement.Snapshot;
import dev.fairlead.work.world.World;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One whole plan of a snapshot per call. */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 12)
@Measurement(iterations = 10)
@Fork(
    value = 1,
    jvmArgs = {"-Xmx1g", "-XX:+UseSerialGC", "--sun-misc-unsafe-memory-access=allow"})
public class EngineBench {
  /** 6,000 whole-GPU jobs at 1,213 nodes. */
  @State(Scope.Benchmark)
  public static class Singles {
    final World world = EngineWorlds.SINGLES.make();
  }

  /** 9,000 jobs at 1,213 nodes that share GPUs. */
  @State(Scope.Benchmark)
  public static class Shared {
    final World world = EngineWorlds.SHARED.make();
  }

  /** 10,000 nodes, 100,000 pending. */
  @State(Scope.Benchmark)
  public static class Large {
    final World world = EngineWorlds.FULL_CYCLE.make();
  }

  /** The cached state after the plan of the snapshot, and the snapshot after 100 changes. */
  @State(Scope.Benchmark)
  public static class After {
    final World before = EngineWorlds.FULL_CYCLE.make();
    final World after = EngineWorlds.changed(before);
    CycleCache memory = new CycleCache();

    /** Plans the first snapshot, so that every call has 100 changes. */
    @Setup(Level.Invocation)
    public void planned() {
      memory = new CycleCache();
      plan(before, memory);
    }
  }

  /** The fleet without free GPUs. */
  @State(Scope.Benchmark)
  public static class Full {
    final World world = EngineWorlds.EXPLANATION.make();
  }

  /** One gang of 512. */
  @State(Scope.Benchmark)
  public static class Gang {
    final World world = EngineWorlds.GANG.make();
  }

  @Benchmark
  public Plan singles(Singles state) {
    return plan(state.world);
  }

  @Benchmark
  public Plan shared(Shared state) {
    return plan(state.world);
  }

  @Benchmark
  public Plan fullCycle(Large state) {
    return plan(state.world);
  }

  @Benchmark
  public Plan afterChanges(After state) {
    return plan(state.after, state.memory);
  }

  @Benchmark
  public Plan explanation(Full state) {
    return plan(state.world);
  }

  @Benchmark
  public Plan gang(Gang state) {
    return plan(state.world);
  }

  static Plan plan(World world) {
    return plan(world, new CycleCache());
  }

  static Plan plan(World world, CycleCache memory) {
    return new SchedulingEngine()
        .plan(new Snapshot(world, List.of(), Snapshot.WORK_BUDGET), memory);
  }
}
