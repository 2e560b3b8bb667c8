package dev.fairlead.work.placement.service;

import dev.fairlead.kernel.identity.JobId;
import dev.fairlead.kernel.loop.Leases;
import dev.fairlead.kernel.loop.MonotonicClock;
import dev.fairlead.kernel.metric.Metric;
import dev.fairlead.work.placement.Plan;
import dev.fairlead.work.placement.decision.Decision;
import dev.fairlead.work.world.PendingJob;
import dev.fairlead.work.world.World;
import dev.fairlead.work.world.WorldReader;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/** Reports of a scheduling cycle: metrics, and contradictions in the log. */
@Component
public class SchedulerReport {
  private final MonotonicClock clock;
  private final ContradictionReport contradictions;
  private final WorldMeters world;
  private final Timer waits;
  private final Map<Stage, Timer> stages = new HashMap<>();

  public SchedulerReport(MeterRegistry metrics, Leases leases, WorldReader worlds) {
    this.clock = leases.clock();
    this.contradictions = new ContradictionReport(metrics);
    this.world = new WorldMeters(metrics, clock);
    this.waits = metrics.timer(Metric.SCHEDULING_WAIT.meter());
    for (Stage stage : Stage.values()) {
      stages.put(
          stage,
          metrics.timer(Metric.SCHEDULER_CYCLE.meter(), Metric.SCHEDULER_CYCLE.tags(stage.label)));
    }
    FunctionCounter.builder(Metric.NOTES_LOST.meter(), worlds, WorldReader::lostNotes)
        .register(metrics);
  }

  /** A part of a cycle. */
  enum Stage {
    READ("read"),
    PLAN("plan"),
    WRITE("write");

    private final String label;

    Stage(String label) {
      this.label = label;
    }
  }

  /** Measures the part. */
  <T> T timed(Stage stage, Supplier<T> part) {
    long began = clock.nanos();
    try {
      return part.get();
    } finally {
      Timer timer = stages.get(stage);
      if (timer != null) {
        timer.record(clock.nanos() - began, TimeUnit.NANOSECONDS);
      }
    }
  }

  /** Reads the snapshot. */
  World read(WorldReader worlds) {
    long began = clock.nanos();
    World read = timed(Stage.READ, worlds::read);
    world.read(began);
    return read;
  }

  /** Must be called after each plan. */
  void planned(World on, Plan plan) {
    contradictions.report(plan);
    world.changed(on);
    Map<JobId, Integer> starts = new HashMap<>();
    for (Decision decision : plan.decisions()) {
      if (decision instanceof Decision.Place) {
        starts.merge(decision.job(), 1, Integer::sum);
      }
    }
    for (PendingJob each : starts.isEmpty() ? List.<PendingJob>of() : on.pending()) {
      for (int i = starts.getOrDefault(each.job().id(), 0); i > 0; i--) {
        waits.record(WorldMeters.waited(each.job(), on.asOf()));
      }
    }
  }

  /** Called when another process, or no process, is the scheduler. */
  void forget() {
    world.forget();
  }
}
