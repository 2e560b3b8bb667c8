package dev.fairlead.placement.service;

import dev.fairlead.job.Forecast;
import dev.fairlead.job.Job;
import dev.fairlead.job.JobForecasts;
import dev.fairlead.metric.Metric;
import dev.fairlead.placement.Forecaster;
import dev.fairlead.placement.Snapshot;
import dev.fairlead.problem.ProblemCode;
import dev.fairlead.problem.Refusal;
import dev.fairlead.world.World;
import dev.fairlead.world.WorldReader;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.springframework.stereotype.Component;

/**
 * Asks the engine, read-only, on the whole world with one job more. Each costs as much as a
 * scheduler's cycle, so that only few are worked out at once.
 */
@Component
public class EngineForecasts implements JobForecasts {
  private static final int AT_ONCE = 4;

  /** A quarter of a scheduler's cycle. */
  private static final long WORK_BUDGET = 5_000_000;

  private final WorldReader worlds;
  private final MeterRegistry metrics;
  private final Semaphore room = new Semaphore(AT_ONCE);

  public EngineForecasts(WorldReader worlds, MeterRegistry metrics) {
    this.worlds = worlds;
    this.metrics = metrics;
  }

  @Override
  public Forecast of(Job job) {
    if (!room.tryAcquire()) {
      metrics.counter(Metric.FORECAST_REFUSED.meter()).increment();
      throw new Refusal(
          ProblemCode.RATE_LIMITED,
          AT_ONCE + " other plans are being worked out. Repeat the request in a second.");
    }
    try {
      World world = worlds.readWith(List.of(job));
      return Forecaster.of(new Snapshot(world, List.of(), WORK_BUDGET), job);
    } finally {
      room.release();
    }
  }
}
